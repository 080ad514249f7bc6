/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory of an accelerator as a dma-buf: CUDA's driver, and AMD's HIP and HSA. Most hosts lack
 * their headers, so the functions are declared here, as in cuda.h (11.7 and later),
 * hip_runtime_api.h and hsa_ext_amd.h; they are called in the same order as in perftest
 * (src/cuda_memory.c, src/rocm_memory.c).
 */
#include <errno.h>
#include <unistd.h>

#include "base/library.h"
#include "base/mem.h"
#include "selftest/memory/memory.h"

LIBRARY_NOTE_SUGGESTED(LIBCUDA, "cuda", "memory of NVIDIA's accelerators in selftest");
LIBRARY_NOTE_SUGGESTED(LIBHIP "\",\"" LIBHIP_6 "\",\"" LIBHIP_5, "hip",
		       "memory of AMD's accelerators in selftest");
LIBRARY_NOTE_SUGGESTED(LIBHSA, "hsa", "dma-bufs of AMD's accelerators in selftest");

/* CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, cuda.h */
#define CUDA_DMABUF_HANDLE 1
/* hipMemcpyHostToDevice and hipMemcpyDeviceToHost, driver_types.h of HIP */
#define HIP_COPY_IN  1
#define HIP_COPY_OUT 2
/* hsa_ext_amd.h: exports have a size in whole pages, as do large allocations of hipMalloc(). */

/* Converts the numbers that cudaError_enum and hipError_t have in common. */
static int error_of(int status)
{
	switch (status) {
	case 0:
		return 0;
	case 2:
		return -ENOMEM;
	case 100:
	case 101:
		return -ENODEV;
	case 801:
		return -EOPNOTSUPP;
	default:
		return -EIO;
	}
}

static int failed(int status, const char *call, const char **ret_call)
{
	if (status)
		*ret_call = call;
	return error_of(status);
}

static int load(const char *library, const struct library_symbol *symbols, size_t count,
		void *functions, const char **ret_call)
{
	int rc = library_open(library, symbols, count, functions);

	if (rc)
		*ret_call = library;
	return rc;
}

#define SYMBOL(record, member, name)                        \
	{                                                   \
		name, NULL, offsetof(record, member), false \
	}

/* ---- CUDA ---- */

struct cuda_start {
	int (*init)(unsigned int flags);
	int (*device)(int *ret_device, int number);
	int (*retain)(void **ret_context, int device);
	int (*use)(void *context);
};

static const struct library_symbol cuda_start_symbols[] = {
	SYMBOL(struct cuda_start, init, "cuInit"),
	SYMBOL(struct cuda_start, device, "cuDeviceGet"),
	SYMBOL(struct cuda_start, retain, "cuDevicePrimaryCtxRetain"),
	SYMBOL(struct cuda_start, use, "cuCtxSetCurrent"),
};

static const struct library_symbol cuda_symbols[] = {
	SYMBOL(struct accelerator_calls, allocate, "cuMemAlloc_v2"),
	SYMBOL(struct accelerator_calls, free, "cuMemFree_v2"),
	SYMBOL(struct accelerator_calls, copy_in, "cuMemcpyHtoD_v2"),
	SYMBOL(struct accelerator_calls, copy_out, "cuMemcpyDtoH_v2"),
	SYMBOL(struct accelerator_calls, handle, "cuMemGetHandleForAddressRange"),
};

static int cuda_start(uint32_t number, const struct cuda_start *calls, const char **ret_call)
{
	void *context = NULL;
	int device = 0;
	int rc = failed(calls->init(0), "cuInit", ret_call);

	if (!rc)
		rc = failed(calls->device(&device, (int)number), "cuDeviceGet", ret_call);
	if (!rc)
		rc = failed(calls->retain(&context, device), "cuDevicePrimaryCtxRetain", ret_call);
	return rc ? rc : failed(calls->use(context), "cuCtxSetCurrent", ret_call);
}

static int cuda_open(struct memory_source *source, const char **ret_call)
{
	struct cuda_start start;
	int rc = load(LIBCUDA, cuda_start_symbols, ARRAY_SIZE(cuda_start_symbols), &start,
		      ret_call);

	if (!rc)
		rc = load(LIBCUDA, cuda_symbols, ARRAY_SIZE(cuda_symbols), &source->calls,
			  ret_call);
	return rc ? rc : cuda_start(source->choice.number, &start, ret_call);
}

/* The source may belong to another accelerator by now, so release() frees the memory. */
static void give(struct memory_source *source, struct memory *memory)
{
	(void)source;
	if (memory->is_dmabuf)
		close(memory->dmabuf);
	memory->release(memory->bytes);
}

/* cuMemGetHandleForAddressRange() accepts only whole pages of the host. */
static int cuda_take(struct memory_source *source, size_t bytes, struct memory *memory,
		     const char **ret_call)
{
	void *address = NULL;
	int rc = failed(source->calls.allocate(&address, bytes), "cuMemAlloc", ret_call);

	if (rc)
		return rc;
	memory->bytes = address;
	memory->release = source->calls.free;
	rc = failed(source->calls.handle(&memory->dmabuf, address, bytes, CUDA_DMABUF_HANDLE, 0),
		    "cuMemGetHandleForAddressRange", ret_call);
	memory->is_dmabuf = !rc;
	if (rc)
		give(source, memory);
	return rc;
}

static int cuda_copy(struct memory_source *source, void *to, const void *from, size_t bytes,
		     bool in)
{
	return error_of(in ? source->calls.copy_in(to, from, bytes)
			   : source->calls.copy_out(to, from, bytes));
}

const struct memory_ops memory_cuda = {
	.name = "cuda",
	.hidden = true,
	.open = cuda_open,
	.take = cuda_take,
	.give = give,
	.copy = cuda_copy,
};

/* ---- HIP, and HSA for the dma-buf ---- */

struct hip_start {
	int (*use)(int number);
};

static const struct library_symbol hip_start_symbols[] = {
	SYMBOL(struct hip_start, use, "hipSetDevice"),
};

static const struct library_symbol hip_symbols[] = {
	SYMBOL(struct accelerator_calls, allocate, "hipMalloc"),
	SYMBOL(struct accelerator_calls, free, "hipFree"),
	SYMBOL(struct accelerator_calls, copy, "hipMemcpy"),
};

static const struct library_symbol hsa_symbols[] = {
	SYMBOL(struct accelerator_calls, export, "hsa_amd_portable_export_dmabuf"),
};

/* Each ROCm release has its own library version; the newest one found is used. */
static int hip_open(struct memory_source *source, const char **ret_call)
{
	static const char *const libraries[] = {LIBHIP, LIBHIP_6, LIBHIP_5};
	struct hip_start start;
	int rc = -ELIBACC;

	for (size_t i = 0; i < ARRAY_SIZE(libraries) && rc == -ELIBACC; i++) {
		rc = load(libraries[i], hip_start_symbols, ARRAY_SIZE(hip_start_symbols), &start,
			  ret_call);
		if (!rc)
			rc = load(libraries[i], hip_symbols, ARRAY_SIZE(hip_symbols),
				  &source->calls, ret_call);
	}
	if (!rc)
		rc = load(LIBHSA, hsa_symbols, ARRAY_SIZE(hsa_symbols), &source->calls, ret_call);
	return rc ? rc : failed(start.use((int)source->choice.number), "hipSetDevice", ret_call);
}

static int hip_take(struct memory_source *source, size_t bytes, struct memory *memory,
		    const char **ret_call)
{
	void *address = NULL;
	int rc = failed(source->calls.allocate(&address, bytes), "hipMalloc", ret_call);

	if (rc)
		return rc;
	memory->bytes = address;
	memory->release = source->calls.free;
	if (source->calls.export(address, bytes, &memory->dmabuf, &memory->offset)) {
		*ret_call = "hsa_amd_portable_export_dmabuf";
		rc = -EOPNOTSUPP;
	}
	memory->is_dmabuf = !rc;
	if (rc)
		give(source, memory);
	return rc;
}

static int hip_copy(struct memory_source *source, void *to, const void *from, size_t bytes, bool in)
{
	return error_of(source->calls.copy(to, from, bytes, in ? HIP_COPY_IN : HIP_COPY_OUT));
}

const struct memory_ops memory_hip = {
	.name = "hip",
	.hidden = true,
	.open = hip_open,
	.take = hip_take,
	.give = give,
	.copy = hip_copy,
};

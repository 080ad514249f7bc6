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
		struct memory_source *source, const char **ret_call)
{
	int rc = library_open(library, symbols, count, &source->calls);

	if (rc)
		*ret_call = library;
	return rc;
}

#define SYMBOL(member, name)                                           \
	{                                                              \
		name, NULL, offsetof(struct accelerator_calls, member) \
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
static int take(struct memory_source *source, size_t bytes, struct memory *memory,
		const char **ret_call)
{
	const struct accelerator_calls *calls = &source->calls;
	const bool cuda = source->choice.exporter == EXPORTER_CUDA;
	void *address = NULL;
	int rc = failed(calls->allocate(&address, bytes), cuda ? "cuMemAlloc" : "hipMalloc",
			ret_call);

	if (rc)
		return rc;
	memory->bytes = address;
	memory->release = calls->free;
	if (cuda) {
		rc = failed(calls->handle(&memory->dmabuf, address, bytes, CUDA_DMABUF_HANDLE, 0),
			    "cuMemGetHandleForAddressRange", ret_call);
	} else if (calls->export(address, bytes, &memory->dmabuf, &memory->offset)) {
		*ret_call = "hsa_amd_portable_export_dmabuf";
		rc = -EOPNOTSUPP;
	}
	memory->is_dmabuf = !rc;
	if (rc)
		give(source, memory);
	return rc;
}

/* ---- CUDA ---- */

static const struct library_symbol cuda_symbols[] = {
	SYMBOL(init, "cuInit"),
	SYMBOL(device, "cuDeviceGet"),
	SYMBOL(retain, "cuDevicePrimaryCtxRetain"),
	SYMBOL(use_context, "cuCtxSetCurrent"),
	SYMBOL(allocate, "cuMemAlloc_v2"),
	SYMBOL(free, "cuMemFree_v2"),
	SYMBOL(copy_in, "cuMemcpyHtoD_v2"),
	SYMBOL(copy_out, "cuMemcpyDtoH_v2"),
	SYMBOL(handle, "cuMemGetHandleForAddressRange"),
};

static int cuda_open(struct memory_source *source, const char **ret_call)
{
	const struct accelerator_calls *calls = &source->calls;
	void *context = NULL;
	int device = 0;
	const int number = (int)source->choice.number;

	return load(LIBCUDA, cuda_symbols, ARRAY_SIZE(cuda_symbols), source, ret_call) ?:
	       failed(calls->init(0), "cuInit", ret_call) ?:
	       failed(calls->device(&device, number), "cuDeviceGet", ret_call) ?:
	       failed(calls->retain(&context, device), "cuDevicePrimaryCtxRetain", ret_call) ?:
	       failed(calls->use_context(context), "cuCtxSetCurrent", ret_call);
}

static int cuda_copy(struct memory_source *source, void *to, const void *from, size_t bytes,
		     bool in)
{
	return error_of(in ? source->calls.copy_in(to, from, bytes)
			   : source->calls.copy_out(to, from, bytes));
}

const struct memory_ops memory_cuda = {
	.hidden = true,
	.open = cuda_open,
	.take = take,
	.give = give,
	.copy = cuda_copy,
};

/* ---- HIP, and HSA for the dma-buf ---- */

static const struct library_symbol hip_symbols[] = {
	SYMBOL(use_device, "hipSetDevice"),
	SYMBOL(allocate, "hipMalloc"),
	SYMBOL(free, "hipFree"),
	SYMBOL(copy, "hipMemcpy"),
};

static const struct library_symbol hsa_symbols[] = {
	SYMBOL(export, "hsa_amd_portable_export_dmabuf"),
};

/* Each ROCm release has its own library version; the newest one found is used. */
static int hip_open(struct memory_source *source, const char **ret_call)
{
	static const char *const libraries[] = {LIBHIP, LIBHIP_6, LIBHIP_5};
	int rc = -ELIBACC;

	for (size_t i = 0; i < ARRAY_SIZE(libraries) && rc == -ELIBACC; i++)
		rc = load(libraries[i], hip_symbols, ARRAY_SIZE(hip_symbols), source, ret_call);
	if (!rc)
		rc = load(LIBHSA, hsa_symbols, ARRAY_SIZE(hsa_symbols), source, ret_call);
	return rc ? rc
		  : failed(source->calls.use_device((int)source->choice.number), "hipSetDevice",
			   ret_call);
}

static int hip_copy(struct memory_source *source, void *to, const void *from, size_t bytes, bool in)
{
	return error_of(source->calls.copy(to, from, bytes, in ? HIP_COPY_IN : HIP_COPY_OUT));
}

const struct memory_ops memory_hip = {
	.hidden = true,
	.open = hip_open,
	.take = take,
	.give = give,
	.copy = hip_copy,
};

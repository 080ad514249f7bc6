/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The libraries that are loaded when they are first needed; each user has a LIBRARY_NOTE of it. */
#pragma once

#define LIBIBVERBS    "libibverbs.so.1"
#define LIBRDMACM     "librdmacm.so.1"
#define LIBUMAD	      "libibumad.so.3"
#define LIBGNUTLS     "libgnutls.so.30"
#define LIBMICROHTTPD "libmicrohttpd.so.12"
#define LIBARCHIVE    "libarchive.so.13"
/* Makers of accelerators have these, for their hosts; HIP has a number for each release of ROCm. */
#define LIBCUDA	 "libcuda.so.1"
#define LIBHIP	 "libamdhip64.so.7"
#define LIBHIP_6 "libamdhip64.so.6"
#define LIBHIP_5 "libamdhip64.so.5"
#define LIBHSA	 "libhsa-runtime64.so.1"

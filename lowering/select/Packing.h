// Weight layouts of the shipped kernels, made when compiling. The kernels' headers describe them.
#ifndef AOTC_LOWERING_SELECT_PACKING_H
#define AOTC_LOWERING_SELECT_PACKING_H

#include "ir/nn/HostTensor.h"

namespace aotc::select {

// [o, i, kh, kw] -> [groups][ceil((o / groups) / 16)][kh][kw][i][16], zero filled.
nn::HostTensor packConvolution(const nn::HostTensor &weights, int64_t groups);

// [c, 1, kh, kw] -> [kh][kw][ceil(c / 16) * 16], zero filled.
nn::HostTensor packDepthwise(const nn::HostTensor &weights);

// [1, k, n] -> [ceil(n / 16)][k][16], zero filled.
nn::HostTensor packMatrix(const nn::HostTensor &matrix);

} // namespace aotc::select

#endif

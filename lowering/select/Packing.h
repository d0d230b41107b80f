// Weight layouts of the shipped kernels, made when compiling. The kernels' headers describe them. Weights are f32, f16 or
// bf16 where nothing else is said, and keep their type. Where i or k is the last dimension but one, it is [ceil(i / 2)]
// and there is a further one of 2 behind the panels' 16 for bf16.
#ifndef AOTC_LOWERING_SELECT_PACKING_H
#define AOTC_LOWERING_SELECT_PACKING_H

#include "ir/nn/HostTensor.h"

namespace aotc::select {

// [o, i, kh, kw] -> [groups][ceil((o / groups) / 16)][kh][kw][i][16], zero filled.
nn::HostTensor packConvolution(const nn::HostTensor &weights, int64_t groups);

// [o, i, 3, 3] -> [ceil(o / 16)][36][i][16], zero filled: G g G^T of each kernel g, computed in double, for Winograd's
// F(4x4, 3x3); element (row, column) of the product is point 6 * row + column. Of halves of either type it is f16, since
// the transforms need the three bits that bf16 lacks; f32 where f16 cannot hold it.
nn::HostTensor packWinograd(const nn::HostTensor &weights);

// Whether all of the integers fit into 8 bits, signed.
bool fitsBytes(const nn::HostTensor &weights);

// [o, i, kh, kw], 16-bit -> [groups][ceil((o / groups) / 16)][kh][kw][ceil(i / n)][16][n], zero filled: n is 4 and the
// integers have 8 bits where they fit, else 2 and 16. With joined taps: [ceil(o / 16)][ceil(kh kw i / n)][16][n].
nn::HostTensor packIntegerConvolution(const nn::HostTensor &weights, int64_t groups, bool joinsTaps);

// [o, ...], 16-bit -> [o], 32-bit: the sum of each filter.
nn::HostTensor filterSums(const nn::HostTensor &weights);

// For weights of 8 bits: [2][o] of bias - zero point * sum of the filter's weights, the zero point as that of bytes
// read as unsigned, then as signed.
nn::HostTensor byteOffsets(const nn::HostTensor &weights, const nn::HostTensor &bias, int64_t xZeroPoint,
                           bool xUnsigned);

// [c, 1, kh, kw], integers that fit into 8 bits -> [ceil(kh / 4)][kw][ceil(c / 16) * 16][4], zero filled.
nn::HostTensor packIntegerDepthwise(const nn::HostTensor &weights);

// [c, 1, kh, kw] -> [kh][kw][ceil(c / 16) * 16], zero filled.
nn::HostTensor packDepthwise(const nn::HostTensor &weights);

// [1, k, n] -> [ceil(n / 16)][k][16], zero filled.
nn::HostTensor packMatrix(const nn::HostTensor &matrix);

// [1, k, n], 16-bit integers that fit into 8 -> [ceil(n / 16)][ceil(k / 4)][16][4], zero filled.
nn::HostTensor packByteMatrix(const nn::HostTensor &matrix);

// [1, k, n], 16-bit -> [n], 32-bit: the sum of each column.
nn::HostTensor columnSums(const nn::HostTensor &matrix);

} // namespace aotc::select

#endif

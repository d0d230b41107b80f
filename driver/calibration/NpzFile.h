// NumPy's .npz files: a ZIP archive of .npy files, one for each array, as numpy.savez() writes it. Compressed ones
// (numpy.savez_compressed) are refused.
#ifndef AOTC_DRIVER_CALIBRATION_NPZFILE_H
#define AOTC_DRIVER_CALIBRATION_NPZFILE_H

#include "frontend/onnx/Diagnostics.h"
#include "frontend/onnx/NpyFile.h"

#include <map>
#include <optional>

namespace aotc::driver {

/// Arrays by their names. Nothing after an error.
std::optional<std::map<std::string, frontend::NpyArray>> readNpz(const std::string &path,
                                                                 frontend::Diagnostics &diagnostics);

} // namespace aotc::driver

#endif // AOTC_DRIVER_CALIBRATION_NPZFILE_H

// The weights of a model as one block of bytes, and the assembly file that embeds it. Does not pack or convert: what it
// is given goes in as it is.
#ifndef AOTC_CODEGEN_CPP_WEIGHTSFILE_H
#define AOTC_CODEGEN_CPP_WEIGHTSFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace aotc::codegen {

class WeightsFile {
public:
  /// As processors need it, for kernels that load vectors.
  static constexpr uint64_t vectorAlignmentBytes = 64;
  /// As far apart as the parts of a buffer must be that a GPU binds: no device asks for more.
  static constexpr uint64_t bindingAlignmentBytes = 256;
  /// Zeros after the last tensor: a vector load that starts inside one stays inside the block.
  static constexpr uint64_t tailBytes = 64;

  /// Tensors of at most so many bytes are there again where the first of them is further away than a GPU sees at once.
  static constexpr uint64_t smallBytes = 64 << 10;

  /// The block starts at a multiple of `alignmentBytes` in memory; no tensor can ask for more. One of the two above.
  /// `reachBytes`: how far back a small tensor may be the same as an earlier one.
  explicit WeightsFile(uint64_t alignmentBytes = vectorAlignmentBytes, uint64_t reachBytes = UINT64_MAX)
      : alignmentBytes(alignmentBytes), reachBytes(reachBytes) {}

  /// Adds a tensor and returns its offset in bytes, a multiple of `alignment` (a power of two, at most that of the
  /// block, which 0 stands for). A tensor that equals an earlier one in reach and fits its alignment gets its offset. The
  /// bytes are copied; the second form takes them over, the third refers to them: they must outlive this object.
  uint64_t append(llvm::ArrayRef<char> bytes, uint64_t alignment = 0);
  uint64_t append(std::vector<char> &&bytes, uint64_t alignment = 0);
  uint64_t appendReference(llvm::ArrayRef<char> bytes, uint64_t alignment = 0);

  /// Size of the whole block in bytes, a multiple of its alignment, tail included; 0 where nothing was added.
  uint64_t sizeBytes() const;
  /// The block in pieces, for Bundle::addBytes(); they live as long as this object and end with the next append().
  std::vector<llvm::ArrayRef<char>> pieces() const;
  /// 64 hexadecimal digits over the whole block. Reads it all, once for all calls without an append() in between.
  const std::string &sha256() const;

  /// Text of src/<name>_weights.S: the symbol `<name>_weights` (C linkage, hidden, aligned, read-only) holds the bytes
  /// of <name>_weights.bin, which the assembler finds in its include folders (-Isrc). The hash in the text makes a
  /// build see that the weights changed. `embed` false, or an empty block: a file that defines nothing.
  std::string assembly(llvm::StringRef name, bool embed = true) const;

private:
  struct Tensor {
    uint64_t offset;
    llvm::ArrayRef<char> bytes;
  };

  uint64_t endBytes() const;
  const Tensor *findEqual(llvm::ArrayRef<char> bytes, uint64_t hash, uint64_t alignment) const;
  uint64_t add(llvm::ArrayRef<char> bytes, uint64_t hash, uint64_t alignment);

  uint64_t alignmentBytes, reachBytes;
  std::vector<Tensor> tensors;                           // by offset
  std::unordered_multimap<uint64_t, size_t> indexByHash; // into tensors
  std::deque<std::vector<char>> owned;
  mutable std::string knownHash;
};

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_WEIGHTSFILE_H

// The directory at the end of an archive says where each file begins: PKWARE's APPNOTE.TXT, sections 4.3 and 4.5.3.
#include "driver/calibration/NpzFile.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"

using aotc::frontend::Diagnostics;
using aotc::frontend::ErrorClass;
using aotc::frontend::NpyArray;
using llvm::StringRef;

namespace aotc::driver {

namespace {

/// Numbers of an archive by their place. What lies beyond the end reads as 0, and then fails where it is used.
class Archive {
public:
  explicit Archive(StringRef bytes) : bytes(bytes) {}

  uint64_t number(size_t place, unsigned size) const {
    uint64_t result = 0;
    for (unsigned i = 0; i < size && place + i < bytes.size(); ++i)
      result |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[place + i])) << (8 * i);
    return result;
  }
  StringRef text(size_t place, uint64_t size) const {
    return place <= bytes.size() && size <= bytes.size() - place ? bytes.substr(place, size) : StringRef();
  }
  /// Where the record that ends an archive begins; npos where there is none.
  size_t endRecord() const { return bytes.rfind("PK\5\6"); }

private:
  StringRef bytes;
};

struct Member {
  StringRef name;
  unsigned method = 0; ///< 0: stored as it is
  uint64_t size = 0, headerPlace = 0;
  size_t next = 0; ///< where the directory's next entry begins
};

/// Sizes and places of 4 GiB and more stand in an extra field, in this order.
void readLargeNumbers(const Archive &archive, size_t place, size_t end, bool hasSize, bool hasPacked, bool hasPlace,
                      Member &member) {
  constexpr uint64_t zip64 = 1;
  while (place + 4 <= end) {
    uint64_t tag = archive.number(place, 2), size = archive.number(place + 2, 2);
    size_t at = place + 4;
    if (tag == zip64) {
      if (hasSize)
        member.size = archive.number(at, 8), at += 8;
      at += hasPacked ? 8 : 0;
      if (hasPlace)
        member.headerPlace = archive.number(at, 8);
    }
    place += 4 + size;
  }
}

std::optional<Member> readMember(const Archive &archive, size_t place) {
  constexpr size_t headBytes = 46;
  constexpr uint64_t inExtra = 0xffffffff;
  if (archive.text(place, 4) != "PK\1\2")
    return std::nullopt;
  Member member;
  member.method = static_cast<unsigned>(archive.number(place + 10, 2));
  uint64_t packed = archive.number(place + 20, 4);
  member.size = archive.number(place + 24, 4);
  member.headerPlace = archive.number(place + 42, 4);
  uint64_t nameBytes = archive.number(place + 28, 2), extraBytes = archive.number(place + 30, 2);
  size_t extra = place + headBytes + nameBytes;
  member.name = archive.text(place + headBytes, nameBytes);
  readLargeNumbers(archive, extra, extra + extraBytes, member.size == inExtra, packed == inExtra,
                   member.headerPlace == inExtra, member);
  member.next = extra + extraBytes + archive.number(place + 32, 2);
  return member;
}

StringRef contentsOf(const Archive &archive, const Member &member) {
  constexpr size_t headBytes = 30;
  uint64_t before = archive.number(member.headerPlace + 26, 2) + archive.number(member.headerPlace + 28, 2);
  return archive.text(member.headerPlace + headBytes + before, member.size);
}

} // namespace

std::optional<std::map<std::string, NpyArray>> readNpz(const std::string &path, Diagnostics &diagnostics) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) {
    diagnostics.error("cannot read " + frontend::quoted(path) + ": " + frontend::systemReason(file.getError().value()),
                      ErrorClass::file);
    return std::nullopt;
  }
  auto refuse = [&](const llvm::Twine &why) {
    diagnostics.error("cannot parse " + frontend::quoted(path) + ": " + why);
    return std::nullopt;
  };
  Archive archive((*file)->getBuffer());
  size_t end = archive.endRecord();
  if (end == StringRef::npos)
    return refuse("not a .npz file");
  std::map<std::string, NpyArray> arrays;
  uint64_t count = archive.number(end + 10, 2);
  size_t place = archive.number(end + 16, 4);
  for (uint64_t i = 0; i < count; ++i) {
    std::optional<Member> member = readMember(archive, place);
    if (!member)
      return refuse("its directory is damaged");
    if (member->method != 0) {
      refuse(frontend::quoted(member->name) + " is compressed");
      diagnostics.note("numpy.savez() writes files that are not");
      return std::nullopt;
    }
    std::optional<NpyArray> array = frontend::parseNpy(contentsOf(archive, *member));
    if (!array)
      return refuse(frontend::quoted(member->name) + " is not a .npy file");
    member->name.consume_back(".npy");
    arrays[member->name.str()] = std::move(*array);
    place = member->next;
  }
  return arrays;
}

} // namespace aotc::driver

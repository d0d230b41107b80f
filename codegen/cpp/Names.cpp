// Cleaning in one pass over the characters, uniqueness by sets. The word lists hold lower-case words only: everything
// is lower-cased before it is looked up, so NULL, EOF or INT_MAX cannot come out of here at all.
#include "codegen/cpp/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace aotc::codegen {

using llvm::StringRef;

static constexpr size_t longestName = 80;

// Of C up to C23 and C++ up to C++23, alternative tokens and the common GNU words included.
static constexpr StringRef keywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if "
    "import inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override "
    "private protected public register reinterpret_cast requires restrict return short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename typeof "
    "typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq";

// Macros of the standard headers, of compilers, and of libraries that an application is likely to include before ours.
static constexpr StringRef macros =
    "alloca arm assert be16toh be32toh be64toh cdecl complex emit errno far foreach forever fpclassify hpux htobe16 "
    "htobe32 htobe64 htole16 htole32 htole64 huge i386 imaginary interface isfinite isinf isnan isnormal issubnormal "
    "le16toh le32toh le64toh linux major makedev math_errhandling max min minor mips near nil noreturn offsetof "
    "pascal powerpc setjmp sigmask signals signbit slots small sparc stderr stdin stdout strdupa strndupa sun unix "
    "unreachable va_arg va_copy va_end va_start vax verify";

// What a namespace cannot be called because the C library has a function, an object or a type of that name. Its other
// forms, by suffix, are not listed; NamesTest asks the compiler for what is missing.
static constexpr StringRef libraryNames =
    "a64l abort abs accept access acct acos acosh alarm aligned_alloc aotc arc4random arc4random_buf "
    "arc4random_uniform asctime asin asinh asprintf at_quick_exit atan atan2 atanh atexit atof atoi atol basename "
    "bcmp bcopy bind blkcnt64_t blkcnt_t blksize_t brk bsearch bzero caddr_t calloc canonicalize "
    "canonicalize_file_name cbrt ceil chdir chown chroot clearenv clearerr clock clock_adjtime clock_getcpuclockid "
    "clock_getres clock_gettime clock_nanosleep clock_settime clock_t clockid_t close close_range closefrom "
    "comparison_fn_t confstr connect cookie_close_function_t cookie_io_functions_t cookie_read_function_t "
    "cookie_seek_function_t cookie_write_function_t copy_file_range copysign cos cosh crypt ctermid ctime cuserid "
    "daddl daddr_t daemon daylight ddivl dev_t dfmal difftime div div_t dmull double_t dprintf drand48 drand48_data "
    "drem dsqrtl dsubl dup dup2 dup3 dysize eaccess ecvt endusershell environ erand48 erf erfc euidaccess execl "
    "execle execlp execv execve execveat execvp execvpe exit exp exp10 exp2 explicit_bzero expm1 f32add f32div f32fma "
    "f32mul f32sqrt f32sub f32xadd f32xdiv f32xfma f32xmul f32xsqrt f32xsub f64add f64div f64fma f64mul f64sqrt "
    "f64sub f64xadd f64xdiv f64xfma f64xmul f64xsqrt f64xsub fabs faccessat fadd fchdir fchown fchownat fclose "
    "fcloseall fcvt fd_mask fd_set fdatasync fdim fdiv fdopen feof ferror fexecve fflush ffma ffs fgetc fgetpos fgets "
    "fileno finite float_t flockfile floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag "
    "fmemopen fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul fopen fopencookie fork "
    "fpathconf fpos64_t fpos_t fprintf fputc fputs fread free freopen frexp fromfp fromfpx fsblkcnt64_t fsblkcnt_t "
    "fscanf fseek fseeko fsetpos fsfilcnt64_t fsfilcnt_t fsid_t fsqrt fsub fsync ftell ftello ftruncate ftrylockfile "
    "funlockfile fwrite gamma gcvt get_current_dir_name getc getchar getcwd getdate getdate_err getdelim "
    "getdomainname getdtablesize getegid getentropy getenv geteuid getgid getgroups gethostid gethostname getline "
    "getloadavg getlogin getopt getpagesize getpass getpayload getpgid getpgrp getpid getppid getpt getresgid "
    "getresuid getsid getsubopt gettid getuid getusershell getw getwd gid_t gmtime grantpt group_member hypot id_t "
    "ilogb index initstate ino64_t ino_t int16_t int32_t int64_t int8_t intmax_t intptr_t isalnum isalpha isascii "
    "isatty isblank iscanonical iscntrl isctype isdigit iseqsig isgraph isgreater isgreaterequal isinff isinfl isless "
    "islessequal islessgreater islower isnanf isnanl isprint ispunct issignaling isspace isunordered isupper isxdigit "
    "iszero itimerspec j0 j1 jn jrand48 key_t kill l64a labs lchown lcong48 ldexp ldiv ldiv_t lgamma link linkat "
    "listen llabs lldiv lldiv_t llogb llrint llround locale_t localtime lockf loff_t log log10 log1p log2 logb "
    "longjmp lrand48 lrint lround lseek main malloc max_align_t mblen mbstate_t mbstowcs mbtowc memccpy memchr memcmp "
    "memcpy memfrob memmem memmove mempcpy memrchr memset mkdtemp mkostemp mkostemps mkstemp mkstemps mktemp mktime "
    "mode_t modf mrand48 nan nanosleep nearbyint nextafter nextdown nexttoward nextup nice nlink_t nrand48 obstack "
    "obstack_printf obstack_vprintf off64_t off_t on_exit open open_memstream optarg opterr optind optopt pathconf "
    "pause pclose perror pid_t pipe pipe2 poll popen posix posix_memalign posix_openpt pow pread printf profil "
    "pselect pthread_attr_t pthread_barrier_t pthread_barrierattr_t pthread_cond_t pthread_condattr_t pthread_key_t "
    "pthread_mutex_t pthread_mutexattr_t pthread_once_t pthread_rwlock_t pthread_rwlockattr_t pthread_spinlock_t "
    "pthread_t ptrdiff_t ptsname putc putchar putenv puts putw pwrite qecvt qfcvt qgcvt qsort quad_t quick_exit raise "
    "rand random random_data rawmemchr read readlink readlinkat realloc reallocarray realpath recv register_t "
    "remainder remove remquo rename renameat renameat2 revoke rewind rindex rint rmdir round roundeven rpmatch sbrk "
    "scalb scalbln scalbn scanf secure_getenv seed48 select send setbuf setbuffer setdomainname setegid setenv "
    "seteuid setgid sethostid sethostname setlinebuf setlogin setpayload setpayloadsig setpgid setpgrp setregid "
    "setresgid setresuid setreuid setsid setstate setuid setusershell setvbuf shutdown sig_atomic_t sigabbrev_np "
    "sigdescr_np sigevent signal signgam significand sigset_t sin sincos sinh size_t sleep snprintf socket socklen_t "
    "sprintf sqrt srand srand48 srandom sscanf ssize_t stat std stpcpy stpncpy strcasecmp strcasestr strcat strchr "
    "strchrnul strcmp strcoll strcpy strcspn strdup strerror strerrordesc_np strerrorname_np strfromd strfromf "
    "strfromf128 strfromf32 strfromf32x strfromf64x strfroml strfry strftime strlen strncasecmp strncat strncmp "
    "strncpy strndup strnlen strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof strtof128 strtof32 "
    "strtof32x strtof64x strtok strtol strtold strtoq strtoul strtouq strverscmp strxfrm suseconds_t swab symlink "
    "symlinkat sync syncfs syscall sysconf system tan tanh tcgetpgrp tcsetpgrp tempnam tgamma time time_t timegm "
    "timelocal timer_create timer_delete timer_getoverrun timer_gettime timer_settime timer_t timespec timespec_get "
    "timespec_getres timeval timex timezone tm tmpfile tmpnam toascii tolower totalorder totalordermag toupper trunc "
    "truncate ttyname ttyslot tzname tzset u_char u_int u_int16_t u_int32_t u_int64_t u_int8_t u_long u_quad_t "
    "u_short ualarm ufromfp ufromfpx uid_t uint uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t ulong ungetc "
    "unlink unlinkat unlockpt unsetenv useconds_t ushort usleep va_list valloc vasprintf vdprintf vfork vfprintf "
    "vfscanf vhangup vprintf vscanf vsnprintf vsprintf vsscanf wait wcstombs wctomb wint_t write xsimd y0 y1 yn";

// What CMake keeps a target from being called (policy CMP0037), in an application with tests and packages too.
static constexpr StringRef targetNames =
    "all clean edit_cache help install package package_source preinstall rebuild_cache test";

// Of float, long double, _FloatN and files of 64 bits; reentrant, with a locale, without a lock.
static constexpr StringRef librarySuffixes[] = {"f128", "f64x", "f32x", "f64", "f32", "_unlocked",
                                                "_r",   "_l",   "64",   "f",   "l"};

static bool isOneOf(StringRef word, StringRef list) {
  llvm::SmallVector<StringRef> words;
  list.split(words, ' ');
  return llvm::is_contained(words, word);
}

static bool isLibraryName(StringRef name) {
  if (isOneOf(name, libraryNames))
    return true;
  return llvm::any_of(librarySuffixes, [&](StringRef suffix) {
    StringRef stem = name;
    return stem.consume_back(suffix) && !stem.empty() && isLibraryName(stem);
  });
}

static StringRef dropOutputNumber(StringRef name) {
  const auto [stem, number] = name.rsplit(':');
  return !stem.empty() && !number.empty() && llvm::all_of(number, llvm::isDigit) ? stem : name;
}

// Lower-cases; one '_' for every run of other characters and between "camel" and "Case".
static std::string toSnakeCase(StringRef name) {
  std::string result;
  bool separate = false;
  char previous = 0;
  for (char c : name) {
    if (!llvm::isAlnum(c)) {
      separate = true;
    } else {
      separate |= llvm::isUpper(c) && llvm::isLower(previous);
      if (separate && !result.empty())
        result += '_';
      result += llvm::toLower(c);
      separate = false;
    }
    previous = c;
  }
  return result;
}

// The end of a long name, from the start of a word where there is one.
static std::string keepEnd(std::string name) {
  if (name.size() <= longestName)
    return name;
  const StringRef end = StringRef(name).take_back(longestName);
  const StringRef words = end.split('_').second;
  return (words.empty() ? end : words).str();
}

std::string cleanIdentifier(StringRef name, StringRef kind) {
  std::string result = keepEnd(toSnakeCase(dropOutputNumber(name)));
  if (result.empty())
    result = kind.str();
  else if (llvm::isDigit(result.front()))
    result = (kind + "_" + result).str();
  if (isOneOf(result, keywords) || isOneOf(result, macros))
    result += '_';
  return result;
}

std::string typeIdentifier(StringRef identifier) {
  std::string result;
  bool atStart = true;
  for (char c : identifier) {
    if (c != '_')
      result += atStart ? llvm::toUpper(c) : c;
    atStart = c == '_';
  }
  return result == "I" ? "I_" : result; // <complex.h> defines I
}

std::string macroIdentifier(StringRef identifier) { return identifier.rtrim('_').upper(); }

std::string cleanModelName(StringRef fileStem) {
  std::string result = cleanIdentifier(fileStem, "model");
  return isLibraryName(result) || isOneOf(result, targetNames) ? result + "_model" : result;
}

bool NameTable::take(const std::string &identifier, llvm::ArrayRef<StringRef> prefixes) {
  if (names.contains(identifier) ||
      llvm::any_of(prefixes, [&](StringRef prefix) { return names.contains((prefix + identifier).str()); }))
    return false;
  names.insert(identifier);
  for (StringRef prefix : prefixes)
    names.insert((prefix + identifier).str());
  return true;
}

std::string NameTable::takeNumbered(const std::string &base, llvm::ArrayRef<StringRef> prefixes) {
  for (unsigned &number = lastNumber.try_emplace(base, 1).first->second;;) {
    std::string identifier = base + "_" + std::to_string(++number);
    if (take(identifier, prefixes))
      return identifier;
  }
}

std::string NameTable::add(StringRef name, StringRef kind, llvm::ArrayRef<StringRef> prefixes) {
  const std::string clean = cleanIdentifier(name, kind);
  if (take(clean, prefixes))
    return clean;
  const std::string stem = StringRef(clean).rtrim('_').str();
  const std::string withKind = (stem + "_" + kind).str();
  return stem != kind && take(withKind, prefixes) ? withKind : takeNumbered(stem, prefixes);
}

std::string NameTable::addIdentifier(StringRef identifier) {
  return take(identifier.str(), {}) ? identifier.str() : takeNumbered(identifier.str(), {});
}

// Members of every Session, and the parameters of its constructors. Not taken: what has arguments where a tensor's
// accessor has none (input, output, and so on), since these are overloads.
static constexpr StringRef sessionNames[] = {"run",        "status", "threads", "state",   "model",
                                             "model_info", "arena",  "bytes",   "options", "reset"};
static constexpr StringRef gpuSessionNames[] = {"core", "finish"}; // of those for a GPU beside them
static constexpr StringRef namespaceTypes[] = {"Model", "Session", "SessionOptions", "Frame",
                                               "Part",  "Step",    "Status",         "Tensor"};

void assignNames(ModelDescription &model) {
  llvm::SmallVector<StringRef> reserved(std::begin(sessionNames), std::end(sessionNames));
  if (model.isForGpu)
    reserved.append(std::begin(gpuSessionNames), std::end(gpuSessionNames));
  NameTable members(reserved), types(namespaceTypes);
  for (TensorDescription &input : model.inputs)
    input.identifier = members.add(input.onnxName, "input", {"bind_"});
  for (TensorDescription &output : model.outputs)
    output.identifier = members.add(output.onnxName, "output", {"bind_"});
  for (TensorDescription &state : model.states)
    state.identifier = members.add(state.onnxName, "state");
  for (std::vector<TensorDescription> *tensors : {&model.inputs, &model.outputs, &model.states})
    for (TensorDescription &tensor : *tensors)
      tensor.typeIdentifier = types.addIdentifier(typeIdentifier(tensor.identifier));
  for (BoundedDim &dim : model.boundedDims)
    dim.identifier = members.add(dim.onnxName, "dim", {"set_"});
}

} // namespace aotc::codegen

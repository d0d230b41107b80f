// One row per option: name, value, help, and what it does. The parser and --help read the same rows.
#include "driver/Options.h"

#include "codegen/cpp/Names.h"
#include "codegen/target/GpuProfile.h"
#include "codegen/target/Target.h"
#include "frontend/onnx/InputValues.h"
#include "frontend/onnx/IoTypes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <optional>

using aotc::frontend::quoted;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace aotc::driver {

namespace {

constexpr int mostThreads = 1024;

Error usageError(const Twine &text) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), text);
}

// --------------------------------------------------------------------------------------------------------- the options
Error setThreads(Options &options, StringRef value) {
  if (value.getAsInteger(10, options.threads) || options.threads < 1 || options.threads > mostThreads)
    return usageError("'--threads' must be a number from 1 to " + Twine(mostThreads) + ", found " + quoted(value));
  return Error::success();
}

Error setName(Options &options, StringRef value) {
  options.name = value.str();
  std::string cleaned = codegen::cleanModelName(value);
  if (cleaned != value)
    return usageError("'--name' must be an identifier in lower case that C++ does not reserve, found " + quoted(value) +
                      "\nnote: " + quoted(cleaned) + " would do");
  return Error::success();
}

Error setTarget(Options &options, StringRef value) {
  options.target = value.str();
  if (codegen::findTarget(value))
    return Error::success();
  std::string names;
  for (const codegen::Target &target : codegen::targets())
    names += (names.empty() ? "" : ", ") + target.name.str();
  return usageError("unknown target " + quoted(value) + "\nnote: there are " + names);
}

Error setGpu(Options &options, StringRef value) {
  options.gpu = value.str();
  if (codegen::findGpuProfile(value))
    return Error::success();
  std::string names;
  for (const codegen::GpuProfile &profile : codegen::gpuProfiles())
    names += (names.empty() ? "" : ", ") + profile.name.str();
  return usageError("unknown GPU profile " + quoted(value) + "\nnote: there are " + names);
}

/// One of a few words; the error lists them.
template <class Value>
Error setChoice(StringRef option, StringRef found, Value &place, llvm::ArrayRef<std::pair<StringRef, Value>> choices) {
  std::string names;
  for (auto [index, choice] : llvm::enumerate(choices)) {
    if (choice.first == found) {
      place = choice.second;
      return Error::success();
    }
    names += (index == 0 ? "" : index + 1 == choices.size() ? " or " : ", ") + quoted(choice.first);
  }
  return usageError(quoted(option) + " must be " + names + ", found " + quoted(found));
}

Error setEmit(Options &options, StringRef value) {
  options.action = Action::emit;
  return setChoice<EmitStage>(
      "--emit", value, options.emit,
      {{"nn", EmitStage::nn}, {"kern", EmitStage::kern}, {"plan", EmitStage::plan}, {"cpp", EmitStage::cpp}});
}

Error setWeights(Options &options, StringRef value) {
  return setChoice<bool>("--weights", value, options.weightsInFile, {{"embed", false}, {"file", true}});
}

Error setWinograd(Options &options, StringRef value) {
  return setChoice<bool>("--winograd", value, options.useWinograd, {{"auto", true}, {"off", false}});
}

Error setOptimize(Options &options, StringRef value) {
  return setChoice<bool>("--optimize", value, options.optimizesSize, {{"speed", false}, {"size", true}});
}

Error forbidHostSteps(Options &options, StringRef) {
  options.gpuOnly = true;
  return Error::success();
}

constexpr std::pair<StringRef, Precision> precisionNames[] = {{"fp32", Precision::fp32},
                                                              {"fp16", Precision::fp16},
                                                              {"bf16", Precision::bf16},
                                                              {"int8", Precision::int8},
                                                              {"int8-dynamic", Precision::int8Dynamic}};

Error setPrecision(Options &options, StringRef value) {
  return setChoice<Precision>("--precision", value, options.precision, precisionNames);
}

Error addIoType(Options &options, StringRef value) {
  auto split = frontend::splitIoType(value);
  if (!split)
    return usageError("'--io-type' must be NAME=fp32, NAME=fp16 or NAME=bf16, found " + quoted(value));
  for (const std::string &other : options.import.ioTypes)
    if (auto earlier = frontend::splitIoType(other); earlier->first == split->first && earlier->second != split->second)
      return usageError("'--io-type' gives " + quoted(split->first) + " two types, " + quoted(earlier->second) +
                        " and " + quoted(split->second));
  options.import.ioTypes.push_back(value.str());
  return Error::success();
}

Error setCalibrationMethod(Options &options, StringRef value) {
  using precision::RangeMethod;
  return setChoice<RangeMethod>("--calibration-method", value, options.calibrationMethod,
                                {{"minmax", RangeMethod::minmax},
                                 {"percentile", RangeMethod::percentile},
                                 {"entropy", RangeMethod::entropy},
                                 {"mse", RangeMethod::mse}});
}

Error addKeepFp32(Options &options, StringRef value) {
  options.keepFp32.push_back(value.str());
  return Error::success();
}

/// An option that keeps its value as it is.
template <std::string Options::*Member> Error keep(Options &options, StringRef value) {
  options.*Member = value.str();
  return Error::success();
}

template <Action Wanted> Error act(Options &options, StringRef) {
  options.action = Wanted;
  return Error::success();
}

template <Verbosity Wanted> Error speak(Options &options, StringRef) {
  options.verbosity = Wanted;
  return Error::success();
}

Error addInputDim(Options &options, StringRef value) {
  options.import.shapes.inputDims.push_back(value.str());
  return Error::success();
}

Error addInputShape(Options &options, StringRef value) {
  options.import.shapes.inputShapes.push_back(value.str());
  return Error::success();
}

Error addLike(Options &options, StringRef value) {
  options.import.shapes.likes.push_back(value.str());
  return Error::success();
}

Error addInputValue(Options &options, StringRef value) {
  auto [name, path] = frontend::splitInputValue(value);
  if (name.empty() || path.empty())
    return usageError("'--input-value' must be NAME=FILE.npy, found " + quoted(value));
  options.import.graph.inputValues.push_back(value.str());
  return Error::success();
}

Error addOutputBound(Options &options, StringRef value) {
  if (!frontend::splitOutputBound(value))
    return usageError("'--output-bound' must be NAME=N, N from 0 to 2147483647, found " + quoted(value));
  options.import.graph.outputBounds.push_back(value.str());
  return Error::success();
}

Error addState(Options &options, StringRef value) {
  auto [input, output] = value.split('=');
  if (input.empty() || output.empty())
    return usageError("'--state' must be INPUT=OUTPUT, found " + quoted(value));
  options.import.states.push_back(value.str());
  return Error::success();
}

Error addVariableInput(Options &options, StringRef value) {
  options.import.graph.variableInputs.push_back(value.str());
  return Error::success();
}

Error makeInputsConstant(Options &options, StringRef) {
  options.import.graph.constantInputs = true;
  return Error::success();
}

struct OptionRow {
  StringRef name, shortName;
  StringRef value; ///< how --help calls it; empty: a flag
  StringRef help;  ///< lines are broken by hand
  Error (*apply)(Options &options, StringRef value);
};

struct OptionGroup {
  StringRef title;
  std::vector<OptionRow> rows;
};

const std::vector<OptionGroup> &groups() {
  static const std::vector<OptionGroup> all = {
      {"Output",
       {{"", "-o", "DIR", "folder to write: new, empty, or an earlier output of aotc", keep<&Options::output>},
        {"--name", "", "ID", "namespace, library and prefix of files; else the file's name, cleaned", setName},
        {"--weights", "", "embed|file", "link the weights into the library (default), or map a file beside it",
         setWeights},
        {"--depfile", "", "FILE",
         "write what the output depends on, for Make and Ninja; the rule's target is\nFILE "
         "without its final '.d'",
         keep<&Options::depfile>}}},
      {"Inputs and shapes",
       {{"--input-dim", "", "NAME=N|A..B",
         "pin an open dimension, or bound it: memory is planned for the largest\n"
         "extent; also INPUT:AXIS=N|A..B; may be repeated",
         addInputDim},
        {"--input-shape", "", "NAME=1x3x224x224", "pin all open dimensions of an input; may be repeated",
         addInputShape},
        {"--like", "", "INPUT.npy", "take the shape from a file; the K-th one is for the K-th input", addLike},
        {"--input-value", "", "NAME=FILE.npy",
         "the input is this constant, and none of the generated model; for values\n"
         "that decide shapes; may be repeated",
         addInputValue},
        {"--output-bound", "", "NAME=N",
         "the most that the extent of a tensor may be which is found at run time, such\n"
         "as how long a loop makes it; NAME is a node's output; a run fails beyond it;\n"
         "may be repeated",
         addOutputBound},
        {"--state", "", "IN=OUT",
         "the input is the output of the run before: the session keeps it, zero at the\n"
         "start, and run() has neither; may be repeated",
         addState},
        {"--variable-input", "", "NAME", "an input with an initializer that callers may replace", addVariableInput},
        {"--constant-inputs", "", "", "all inputs with an initializer are constants", makeInputsConstant}}},
      {"Code",
       {{"--target", "", "TARGET", "what to compile for (see below)", setTarget},
        {"--gpu", "", "PROFILE", "the class of GPUs that target vulkan makes shaders for (see below)", setGpu},
        {"--threads", "", "N", "the most threads that a session may ask for (default 8)", setThreads},
        {"--winograd", "", "auto|off",
         "fewer multiplications in 3x3 convolutions (default), which spreads an\n"
         "infinity over its tile",
         setWinograd},
        {"--optimize", "", "speed|size",
         "speed (default), or the size of weights: no Winograd, whose weights are four\n"
         "times as large",
         setOptimize},
        {"--gpu-only", "", "",
         "of --target vulkan: a step without a shader is an error; else the processor\n"
         "computes it, and a warning says so",
         forbidHostSteps}}},
      {"Precision",
       {{"--precision", "", "PRECISION",
         "fp16, bf16 or fp32: what weights are stored in, which else are as the model\n"
         "has them; sums are f32. int8 or int8-dynamic: quantize a float model,\n"
         "convolutions and products by ranges that samples showed, or products alone by\n"
         "ranges of the run, which needs no samples",
         setPrecision},
        {"--calibration", "", "DIR|FILE.npz",
         "samples for int8: a folder for each with input_K.npy, or .npz files; aotc\n"
         "builds the model for this machine (CXX names the compiler) and runs it on them",
         keep<&Options::calibration>},
        {"--calibration-method", "", "METHOD", "how ranges are chosen: minmax, percentile, entropy or mse (default)",
         setCalibrationMethod},
        {"--keep-fp32", "", "PATTERN", "nodes that stay in f32, by name, with *, ? and [...];\nmay be repeated",
         addKeepFp32},
        {"--io-type", "", "NAME=TYPE", "callers see this input or output as fp32, fp16 or bf16; may be repeated",
         addIoType}}},
      {"Looking inside",
       {{"--describe", "", "", "list inputs, outputs, dimensions and operators, and compile nothing",
         act<Action::describe>},
        {"--emit", "", "nn|kern|plan|cpp", "print that stage to the standard output or to the file given by -o",
         setEmit},
        {"--verbose", "-v", "", "also tell the time of each stage and the memory plan", speak<Verbosity::verbose>},
        {"--quiet", "-q", "", "print errors only", speak<Verbosity::quiet>},
        {"--version", "", "", "print the version", act<Action::printVersion>},
        {"--help", "-h", "", "print this text", act<Action::printHelp>}}},
  };
  return all;
}

// ---------------------------------------------------------------------------------------------------------- the parser
const OptionRow *findRow(StringRef name) {
  for (const OptionGroup &group : groups())
    for (const OptionRow &row : group.rows)
      if (!name.empty() && (name == row.name || name == row.shortName))
        return &row;
  return nullptr;
}

Error unknownOption(StringRef name) {
  StringRef nearest;
  unsigned least = 4; // more edits apart is no slip of the fingers
  for (const OptionGroup &group : groups())
    for (const OptionRow &row : group.rows) {
      unsigned distance = row.name.edit_distance(name, /*AllowReplacements=*/true, least);
      if (!row.name.empty() && distance < least) {
        least = distance;
        nearest = row.name;
      }
    }
  std::string note = nearest.empty() ? "" : "\nnote: did you mean '" + nearest.str() + "'?";
  return usageError("unknown option " + quoted(name) + note);
}

class Parser {
public:
  explicit Parser(llvm::ArrayRef<StringRef> arguments) : rest(arguments) {}

  Expected<Options> parse();

private:
  Error parseArgument(StringRef argument);
  Error parseOption(StringRef argument);
  Error takeModel(StringRef argument);
  Error check();
  Error checkTarget();

  llvm::ArrayRef<StringRef> rest;
  llvm::StringSet<> given; ///< names of options
  Options options;
};

Error Parser::takeModel(StringRef argument) {
  if (argument.empty())
    return usageError("the name of the model is empty");
  if (!options.model.empty())
    return usageError("one model can be compiled at a time, found " + quoted(options.model) + " and " +
                      quoted(argument));
  options.model = argument.str();
  return Error::success();
}

Error Parser::parseOption(StringRef argument) {
  auto [name, value] = argument.split('=');
  bool hasValue = name.size() != argument.size();
  const OptionRow *row = findRow(name);
  given.insert(name);
  if (!row && argument.starts_with("-o") && !argument.starts_with("--")) { // -oDIR
    row = findRow("-o");
    value = argument.drop_front(2);
    hasValue = true;
  }
  if (!row)
    return unknownOption(name);
  if (row->value.empty())
    return hasValue ? usageError(quoted(name) + " takes no value, found " + quoted(value)) : row->apply(options, "");
  if (!hasValue) {
    if (rest.empty() || findRow(rest.front().split('=').first))
      return usageError(quoted(name) + " needs a value: " + row->value);
    value = rest.front();
    rest = rest.drop_front();
  }
  if (value.empty())
    return usageError("the value of " + quoted(row->name.empty() ? row->shortName : row->name) + " is empty");
  return row->apply(options, value);
}

Error Parser::parseArgument(StringRef argument) {
  if (argument.size() > 1 && argument.starts_with("-"))
    return parseOption(argument);
  return takeModel(argument);
}

/// What no option can check by itself.
Error Parser::check() {
  if (options.model.empty())
    return usageError("no model given");
  if (options.action == Action::compile && options.output.empty())
    return usageError("no output folder given\nnote: say -o DIR; --describe and --emit need none");
  if (options.action != Action::compile && !options.depfile.empty())
    return usageError("'--depfile' needs an output folder");
  if (options.optimizesSize && given.contains("--winograd") && options.useWinograd)
    return usageError("'--optimize size' and '--winograd auto' contradict each other");
  options.useWinograd &= !options.optimizesSize;
  if (options.precision == Precision::int8 && options.calibration.empty())
    return usageError(
        "'--precision int8' needs samples\nnote: say --calibration DIR, or --precision int8-dynamic, which "
        "needs none");
  if (options.precision != Precision::int8 && !options.calibration.empty())
    return usageError("'--calibration' is for '--precision int8'");
  if (options.precision != Precision::int8 && given.contains("--calibration-method"))
    return usageError("'--calibration-method' is for '--precision int8'");
  if (!quantizes(options.precision) && !options.keepFp32.empty())
    return usageError("'--keep-fp32' is for '--precision int8' and 'int8-dynamic'");
  if (!options.import.graph.variableInputs.empty() && options.import.graph.constantInputs)
    return usageError("'--variable-input' and '--constant-inputs' contradict each other");
  return Error::success();
}

/// What the target has no use for is refused rather than ignored, once it is known which one it is.
Error Parser::checkTarget() {
  const codegen::Target &target = *codegen::findTarget(options.target);
  if (given.contains("--threads") && !target.hasThreads && options.threads != 1)
    return usageError("target " + quoted(options.target) + " has no threads, found '--threads " +
                      Twine(options.threads) + "'");
  if (!target.isGpu && given.contains("--gpu"))
    return usageError("'--gpu' is for targets that are GPUs, found " + quoted(options.target));
  if (target.isGpu && options.gpu.empty())
    options.gpu = codegen::gpuProfiles().front().name.str();
  if (target.isGpu && given.contains("--winograd"))
    return usageError("'--winograd' is for targets that are processors, found " + quoted(options.target));
  if (!target.isGpu && options.gpuOnly)
    return usageError("'--gpu-only' is for '--target vulkan', found " + quoted(options.target));
  if (target.isGpu && options.precision == Precision::bf16)
    return usageError("target " + quoted(options.target) + " takes no '--precision bf16' yet");
  if (!target.hasThreads)
    options.threads = 1;
  return Error::success();
}

Expected<Options> Parser::parse() {
  bool onlyNames = false;
  options.target = codegen::defaultTargetName().str();
  while (!rest.empty()) {
    StringRef argument = rest.front();
    rest = rest.drop_front();
    if (!onlyNames && argument == "--") {
      onlyNames = true;
      continue;
    }
    if (Error error = onlyNames ? takeModel(argument) : parseArgument(argument))
      return error;
    if (options.action == Action::printHelp || options.action == Action::printVersion)
      return options;
  }
  if (Error error = check())
    return error;
  if (Error error = checkTarget())
    return error;
  return options;
}

// ------------------------------------------------------------------------------------------------------------ the help
void printRow(llvm::raw_ostream &os, StringRef left, StringRef help) {
  constexpr size_t column = 30;
  os << "  " << left;
  if (left.size() + 3 > column)
    os << "\n" << std::string(column, ' ');
  else
    os.indent(static_cast<unsigned>(column - left.size() - 2));
  for (bool isFirst = true; !help.empty(); isFirst = false) {
    auto [line, more] = help.split('\n');
    if (!isFirst)
      os.indent(column);
    os << line << "\n";
    help = more;
  }
}

std::string leftColumn(const OptionRow &row) {
  std::string text = row.shortName.str();
  if (!row.name.empty())
    text += (text.empty() ? "" : ", ") + row.name.str();
  return row.value.empty() ? text : text + " " + row.value.str();
}

} // namespace

Expected<Options> parseOptions(llvm::ArrayRef<StringRef> arguments) { return Parser(arguments).parse(); }

void printHelp(llvm::raw_ostream &os) {
  os << "aotc turns an ONNX model into a folder of plain C++.\n\n"
        "  aotc MODEL.onnx -o DIR [options]\n"
        "  aotc MODEL.onnx --describe\n";
  for (const OptionGroup &group : groups()) {
    os << "\n" << group.title << "\n";
    for (const OptionRow &row : group.rows)
      printRow(os, leftColumn(row), row.help);
  }
  os << "\nTargets\n";
  for (const codegen::Target &target : codegen::targets())
    printRow(os, target.name,
             (target.summary + (target.name == codegen::defaultTargetName() ? " (default)" : "")).str());
  os << "\nGPU profiles\n";
  for (const codegen::GpuProfile &profile : codegen::gpuProfiles())
    printRow(os, profile.name,
             (profile.summary + (&profile == codegen::gpuProfiles().begin() ? " (default)" : "")).str());
  os << "\nExit codes\n"
        "  0 done   1 the model cannot be compiled   2 wrong usage   3 a file cannot be opened, read or written\n"
        "  70 a mistake in aotc\n";
}

static void addPrecisionFlags(const Options &options, std::vector<std::string> &flags) {
  for (auto [name, precision] : precisionNames)
    if (precision == options.precision)
      flags.push_back(("--precision=" + name).str());
  if (options.precision == Precision::int8) {
    StringRef path = StringRef(options.calibration).rtrim('/');
    flags.push_back(("--calibration=" + llvm::sys::path::filename(path)).str());
    flags.push_back(std::string("--calibration-method=") + nameOf(options.calibrationMethod));
  }
  for (const std::string &pattern : options.keepFp32)
    flags.push_back("--keep-fp32=" + pattern);
}

std::vector<std::string> Options::canonicalFlags() const {
  std::vector<std::string> flags = {"--target=" + target, "--threads=" + std::to_string(threads),
                                    std::string("--weights=") + (weightsInFile ? "file" : "embed"),
                                    std::string("--winograd=") + (useWinograd ? "auto" : "off")};
  if (optimizesSize)
    flags.push_back("--optimize=size");
  if (gpuOnly)
    flags.push_back("--gpu-only");
  if (!gpu.empty())
    flags.push_back("--gpu=" + gpu);
  addPrecisionFlags(*this, flags);
  if (!name.empty())
    flags.push_back("--name=" + name);
  for (const std::string &dim : import.shapes.inputDims)
    flags.push_back("--input-dim=" + dim);
  for (const std::string &shape : import.shapes.inputShapes)
    flags.push_back("--input-shape=" + shape);
  for (const std::string &path : import.shapes.likes)
    flags.push_back("--like=" + llvm::sys::path::filename(path).str());
  for (const std::string &value : import.graph.inputValues) {
    auto [input, path] = frontend::splitInputValue(value);
    flags.push_back(("--input-value=" + input + "=" + llvm::sys::path::filename(path)).str());
  }
  for (const std::string &type : import.ioTypes)
    flags.push_back("--io-type=" + type);
  for (const std::string &state : import.states)
    flags.push_back("--state=" + state);
  for (const std::string &bound : import.graph.outputBounds)
    flags.push_back("--output-bound=" + bound);
  for (const std::string &input : import.graph.variableInputs)
    flags.push_back("--variable-input=" + input);
  if (import.graph.constantInputs)
    flags.push_back("--constant-inputs");
  return flags;
}

} // namespace aotc::driver

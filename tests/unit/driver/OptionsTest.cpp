// Reading of the command line: values in both spellings, defaults, and the text of each mistake.
#include "driver/Options.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace aotc::driver;

namespace {

llvm::Expected<Options> parse(llvm::StringRef line) {
  llvm::SmallVector<llvm::StringRef> arguments;
  line.split(arguments, ' ', -1, /*KeepEmpty=*/false);
  return parseOptions(arguments);
}

Options parsed(llvm::StringRef line) {
  llvm::Expected<Options> options = parse(line);
  if (options)
    return *options;
  ADD_FAILURE() << llvm::toString(options.takeError());
  return {};
}

std::string errorOf(llvm::StringRef line) {
  llvm::Expected<Options> options = parse(line);
  return options ? "no error" : llvm::toString(options.takeError());
}

TEST(Options, DefaultsAreThoseOfTheHelp) {
  Options options = parsed("m.onnx -o out");
  EXPECT_EQ(options.action, Action::compile);
  EXPECT_EQ(options.model, "m.onnx");
  EXPECT_EQ(options.output, "out");
  EXPECT_EQ(options.name, "");
  EXPECT_EQ(options.threads, 8);
  EXPECT_FALSE(options.weightsInFile);
  EXPECT_TRUE(options.useWinograd);
  EXPECT_EQ(options.verbosity, Verbosity::normal);
#ifdef __x86_64__
  EXPECT_EQ(options.target, "x86-64");
#endif
}

TEST(Options, ValuesFollowOrAreJoined) {
  EXPECT_EQ(parsed("m.onnx -o out --threads 3").threads, 3);
  EXPECT_EQ(parsed("m.onnx -o out --threads=3").threads, 3);
  EXPECT_EQ(parsed("-oout m.onnx").output, "out");
  EXPECT_EQ(parsed("-o=out m.onnx").output, "out");
  EXPECT_EQ(parsed("m.onnx -o out --target v4+vnni").target, "v4+vnni");
  EXPECT_TRUE(parsed("m.onnx -o out --weights=file").weightsInFile);
  EXPECT_FALSE(parsed("m.onnx -o out --winograd off").useWinograd);
}

TEST(Options, SizeTurnsOffWhatMakesWeightsLarger) {
  EXPECT_FALSE(parsed("m.onnx -o out --optimize size").useWinograd);
  EXPECT_FALSE(parsed("m.onnx -o out --optimize size --winograd off").useWinograd);
  EXPECT_TRUE(parsed("m.onnx -o out --optimize=speed").useWinograd);
  EXPECT_EQ(errorOf("m.onnx -o out --winograd auto --optimize size"),
            "'--optimize size' and '--winograd auto' contradict each other");
  EXPECT_EQ(errorOf("m.onnx -o out --optimize small"), "'--optimize' must be 'speed' or 'size', found 'small'");
  EXPECT_EQ(llvm::join(parsed("m.onnx -o out --target native --optimize size").canonicalFlags(), " "),
            "--target=native --threads=8 --weights=embed --winograd=off --optimize=size");
}

TEST(Options, BoundsAndStatesNeedTwoHalves) {
  EXPECT_EQ(parsed("m.onnx -o out --output-bound y=4 --output-bound=a=b=0").import.graph.outputBounds,
            (std::vector<std::string>{"y=4", "a=b=0"}));
  for (const char *value : {"y", "y=", "=4", "y=-1", "y=1..4", "y=2147483648"})
    EXPECT_EQ(errorOf("m.onnx -o out --output-bound " + std::string(value)),
              "'--output-bound' must be NAME=N, N from 0 to 2147483647, found '" + std::string(value) + "'");
  EXPECT_EQ(parsed("m.onnx -o out --state h=hn").import.states, (std::vector<std::string>{"h=hn"}));
  for (const char *value : {"h", "h=", "=hn"})
    EXPECT_EQ(errorOf("m.onnx -o out --state " + std::string(value)),
              "'--state' must be INPUT=OUTPUT, found '" + std::string(value) + "'");
}

TEST(Options, PrecisionsAndTypesOfInputs) {
  EXPECT_EQ(parsed("m.onnx -o out").precision, Precision::asModel);
  EXPECT_EQ(parsed("m.onnx -o out --precision bf16").precision, Precision::bf16);
  EXPECT_EQ(errorOf("m.onnx -o out --precision half"),
            "'--precision' must be 'fp32', 'fp16', 'bf16', 'int8' or 'int8-dynamic', found 'half'");
  EXPECT_EQ(parsed("m.onnx -o out --io-type x=fp16 --io-type a=b=bf16").import.ioTypes,
            (std::vector<std::string>{"x=fp16", "a=b=bf16"}));
  for (const char *value : {"x", "x=f16", "=fp16"})
    EXPECT_EQ(errorOf("m.onnx -o out --io-type " + std::string(value)),
              "'--io-type' must be NAME=fp32, NAME=fp16 or NAME=bf16, found '" + std::string(value) + "'");
  EXPECT_EQ(errorOf("m.onnx -o out --io-type x=fp16 --io-type x=bf16"),
            "'--io-type' gives 'x' two types, 'fp16' and 'bf16'");
}

TEST(Options, InputValuesNeedANameAndAFile) {
  EXPECT_EQ(parsed("m.onnx -o out --input-value axes=a.npy --input-value=k=b=c.npy").import.graph.inputValues,
            (std::vector<std::string>{"axes=a.npy", "k=b=c.npy"}));
  for (const char *value : {"axes", "axes=", "=a.npy"})
    EXPECT_EQ(errorOf("m.onnx -o out --input-value " + std::string(value)),
              "'--input-value' must be NAME=FILE.npy, found '" + std::string(value) + "'");
}

TEST(Options, PrecisionNeedsWhatItIsMadeFrom) {
  EXPECT_EQ(parsed("m.onnx -o out").precision, Precision::asModel);
  Options options = parsed("m.onnx -o out --precision int8 --calibration s --calibration-method entropy --keep-fp32 a*"
                           " --keep-fp32=b");
  EXPECT_EQ(options.precision, Precision::int8);
  EXPECT_EQ(options.calibration, "s");
  EXPECT_EQ(options.calibrationMethod, aotc::precision::RangeMethod::entropy);
  EXPECT_EQ(options.keepFp32, (std::vector<std::string>{"a*", "b"}));
  EXPECT_EQ(parsed("m.onnx -o out --precision=int8-dynamic").precision, Precision::int8Dynamic);
  EXPECT_EQ(errorOf("m.onnx -o out --precision int4"),
            "'--precision' must be 'fp32', 'fp16', 'bf16', 'int8' or 'int8-dynamic', found 'int4'");
  EXPECT_EQ(errorOf("m.onnx -o out --calibration-method best"),
            "'--calibration-method' must be 'minmax', 'percentile', 'entropy' or 'mse', found 'best'");
  EXPECT_EQ(
      errorOf("m.onnx -o out --precision int8"),
      "'--precision int8' needs samples\nnote: say --calibration DIR, or --precision int8-dynamic, which needs none");
  for (const char *precision : {"fp32", "int8-dynamic"})
    EXPECT_EQ(errorOf("m.onnx -o out --calibration s --precision " + std::string(precision)),
              "'--calibration' is for '--precision int8'");
  EXPECT_EQ(errorOf("m.onnx -o out --calibration-method mse --precision int8-dynamic"),
            "'--calibration-method' is for '--precision int8'");
  EXPECT_EQ(errorOf("m.onnx -o out --keep-fp32 a"), "'--keep-fp32' is for '--precision int8' and 'int8-dynamic'");
}

TEST(Options, OnlyTheFirstEqualsSignSeparates) {
  Options options = parsed("m.onnx -o out --input-dim=batch=1..4 --input-dim x:0=2 --like a.npy --like b.npy");
  EXPECT_EQ(options.import.shapes.inputDims, (std::vector<std::string>{"batch=1..4", "x:0=2"}));
  EXPECT_EQ(options.import.shapes.likes, (std::vector<std::string>{"a.npy", "b.npy"}));
}

TEST(Options, ActionsThatNeedNoFolder) {
  EXPECT_EQ(parsed("--help").action, Action::printHelp);
  EXPECT_EQ(parsed("-h --nonsense").action, Action::printHelp);
  EXPECT_EQ(parsed("--version").action, Action::printVersion);
  EXPECT_EQ(parsed("m.onnx --describe").action, Action::describe);
  Options options = parsed("m.onnx --emit kern");
  EXPECT_EQ(options.action, Action::emit);
  EXPECT_EQ(options.emit, EmitStage::kern);
}

TEST(Options, AfterTwoDashesAllIsAName) { EXPECT_EQ(parsed("-o out -- -q.onnx").model, "-q.onnx"); }

TEST(Options, UnknownOnesSuggestTheNearest) {
  EXPECT_EQ(errorOf("m.onnx -o out --thread 3"), "unknown option '--thread'\nnote: did you mean '--threads'?");
  EXPECT_EQ(errorOf("m.onnx -o out --wieghts=file"), "unknown option '--wieghts'\nnote: did you mean '--weights'?");
  EXPECT_EQ(errorOf("m.onnx -o out --distribute"), "unknown option '--distribute'");
  EXPECT_EQ(errorOf("m.onnx -x"), "unknown option '-x'");
}

TEST(Options, ValuesAreChecked) {
  EXPECT_EQ(errorOf("m.onnx -o out --threads 0"), "'--threads' must be a number from 1 to 1024, found '0'");
  EXPECT_EQ(errorOf("m.onnx -o out --threads 3x"), "'--threads' must be a number from 1 to 1024, found '3x'");
  EXPECT_EQ(errorOf("m.onnx -o out --weights=both"), "'--weights' must be 'embed' or 'file', found 'both'");
  EXPECT_EQ(errorOf("m.onnx --emit llvm"), "'--emit' must be 'nn', 'kern', 'plan' or 'cpp', found 'llvm'");
  EXPECT_EQ(errorOf("m.onnx -o out --name int"),
            "'--name' must be an identifier in lower case that C++ does not reserve, found 'int'\n"
            "note: 'int_' would do");
  EXPECT_TRUE(
      llvm::StringRef(errorOf("m.onnx -o out --target v5")).starts_with("unknown target 'v5'\nnote: there are "));
}

TEST(Options, ValuesMustBeThere) {
  EXPECT_EQ(errorOf("m.onnx -o"), "'-o' needs a value: DIR");
  EXPECT_EQ(errorOf("m.onnx -o --describe"), "'-o' needs a value: DIR");
  EXPECT_EQ(errorOf("m.onnx -o out --name="), "the value of '--name' is empty");
  EXPECT_EQ(errorOf("m.onnx -o out --quiet=1"), "'--quiet' takes no value, found '1'");
}

TEST(Options, WhatIsMissingOrContradictsItself) {
  EXPECT_EQ(errorOf(""), "no model given");
  EXPECT_EQ(errorOf("m.onnx"), "no output folder given\nnote: say -o DIR; --describe and --emit need none");
  EXPECT_EQ(errorOf("a.onnx b.onnx -o out"), "one model can be compiled at a time, found 'a.onnx' and 'b.onnx'");
  EXPECT_EQ(errorOf("m.onnx --describe --depfile x.d"), "'--depfile' needs an output folder");
  EXPECT_EQ(errorOf("m.onnx -o out --variable-input w --constant-inputs"),
            "'--variable-input' and '--constant-inputs' contradict each other");
}

TEST(Options, MicrocontrollersHaveNoThreads) {
  EXPECT_EQ(parsed("m.onnx -o out --target cortex-m7").threads, 1);
  EXPECT_EQ(parsed("m.onnx -o out --target cortex-m7 --threads 1").threads, 1);
  EXPECT_EQ(errorOf("m.onnx -o out --target cortex-m7 --threads 2"),
            "target 'cortex-m7' has no threads, found '--threads 2'");
}

TEST(Options, DevicesHaveNoUseForWhatProcessorsHave) {
  EXPECT_EQ(parsed("m.onnx -o out --target vulkan").threads, 1);
  EXPECT_EQ(errorOf("m.onnx -o out --threads 4 --target vulkan"),
            "target 'vulkan' has no threads, found '--threads 4'");
  EXPECT_EQ(errorOf("m.onnx -o out --target vulkan --winograd=off"),
            "'--winograd' is for targets that are processors, found 'vulkan'");
  EXPECT_EQ(errorOf("m.onnx -o out --target vulkan --precision bf16"),
            "target 'vulkan' takes no '--precision bf16' yet");
  EXPECT_EQ(parsed("m.onnx -o out --target vulkan --precision fp16").precision, Precision::fp16);
}

TEST(Options, ClassesOfGpus) {
  EXPECT_EQ(parsed("m.onnx -o out --target vulkan").gpu, "generic");
  EXPECT_EQ(parsed("m.onnx -o out --gpu desktop --target vulkan").gpu, "desktop");
  EXPECT_EQ(parsed("m.onnx -o out --target native").gpu, "");
  EXPECT_EQ(errorOf("m.onnx -o out --target native --gpu generic"),
            "'--gpu' is for targets that are GPUs, found 'native'");
  EXPECT_EQ(errorOf("m.onnx -o out --target vulkan --gpu console"),
            "unknown GPU profile 'console'\nnote: there are generic, desktop, mobile");
}

TEST(Options, FlagsOfTheManifestHoldNoFolders) {
  Options options =
      parsed("/models/m.onnx --like /data/a.npy -o /tmp/out --target native --threads 2 --depfile /x.d -v");
  EXPECT_EQ(llvm::join(options.canonicalFlags(), " "),
            "--target=native --threads=2 --weights=embed --winograd=auto --like=a.npy");
  EXPECT_EQ(llvm::join(parsed("m.onnx -o out --target vulkan --gpu mobile").canonicalFlags(), " "),
            "--target=vulkan --threads=1 --weights=embed --winograd=auto --gpu=mobile");
  options = parsed("m.onnx -o out --target native --precision int8 --calibration /data/s/ --keep-fp32 c*");
  EXPECT_EQ(llvm::join(options.canonicalFlags(), " "),
            "--target=native --threads=8 --weights=embed --winograd=auto --precision=int8 --calibration=s "
            "--calibration-method=mse --keep-fp32=c*");
}

TEST(Options, HelpNamesEveryOption) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printHelp(stream);
  for (const char *option : {"-o DIR",
                             "--name ID",
                             "--target TARGET",
                             "--gpu PROFILE",
                             "--input-dim",
                             "--like",
                             "--threads",
                             "--weights",
                             "--winograd",
                             "--optimize",
                             "--emit",
                             "--describe",
                             "--depfile",
                             "--variable-input",
                             "--constant-inputs",
                             "--precision",
                             "--calibration DIR",
                             "--keep-fp32",
                             "-v,",
                             "-q,",
                             "--version",
                             "--help",
                             "cortex-m7"})
    EXPECT_NE(text.find(option), std::string::npos) << option;
}

} // namespace

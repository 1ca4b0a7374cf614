// SPDX-License-Identifier: Apache-2.0
// Test folders: they are read back as written, are written completely or not at all, and reveal
// nothing about the machine.
#include "folder/test_folder.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/random.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "base/version.h"
#include "folder/build_id.h"
#include "folder/file_names.h"
#include "folder/readme.h"
#include "folder/test_json.h"
#include "image/png.h"
#include "message/all.h"
#include "unit/shared/plain_error.h"
#include "wire/recording_file.h"

namespace refract {
namespace {

namespace fs = std::filesystem;

std::vector<uint32_t> ModuleWith(const char* operation) {
  const std::string text = format(R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
%void = OpTypeVoid
%type = OpTypeFunction %void
%int = OpTypeInt 32 0
%one = OpConstant %int 1
%main = OpFunction %void None %type
%body = OpLabel
%sum = {} %int %one %one
OpReturn
OpFunctionEnd
)",
                                  operation);
  const Result<std::vector<uint32_t>> words = Assemble(text, TargetEnvironment::kVulkan11);
  EXPECT_TRUE(words) << words.error().message;
  return words ? *words : std::vector<uint32_t>();
}

message::Recording Steps(uint32_t count) {
  message::Recording recording{.entry = "main", .target_env = "vulkan1.1", .seed = 7};
  for (uint32_t i = 1; i <= count; ++i) {
    message::Step step{.number = i, .transformation = message::MoveBlockDown{}, .needs = {}};
    if (i % 2 == 0) step.transformation = message::SplitBlock{};
    recording.steps.push_back(step);
  }
  return recording;
}

TestRecord SampleRecord() {
  TestRecord record;
  record.verdict = FailureClass::kWrongImage;
  record.signature = "wrong_image lavapipe";
  record.what = "/home/someone/tool says that the images differ";
  record.target.name = "lavapipe";
  record.target.kind = "render";
  record.target.version = "llvmpipe, Mesa 22.3.6";
  record.target.driver = "llvmpipe";
  record.target.icd = "lvp_icd.x86_64.json";
  record.target.build_ids = {{"libvulkan_lvp.so", "0badcafe"}, {"spirv-opt", ""}};
  record.target.environment = {{"MESA_SHADER_CACHE_DISABLE", "1"}};
  record.rule = CompareRule::kStable;
  record.seed = 0xffffffffffffffffu;
  record.runs = 3;
  record.confirmed = 2;
  record.minimal = true;
  record.blamed = "spirv-opt";
  record.blamed_pass = "--ccp";
  record.entry = "draw";
  record.environment = TargetEnvironment::kVulkan11;
  record.validation.scalar_block_layout = true;
  record.time_limit = 17;
  record.zero_inputs = true;
  return record;
}

TestContents SampleContents() {
  TestContents contents;
  contents.original.words = ModuleWith("OpIAdd");
  contents.original.inputs = std::make_shared<const Inputs>();
  contents.variant = {ModuleWith("OpISub"), std::make_shared<const Inputs>(), Steps(9)};
  contents.reduced = {ModuleWith("OpIMul"), std::make_shared<const Inputs>(), Steps(2)};
  contents.neighbour = contents.original.words;
  contents.original_image = MakeImage(4, 4, 1, 2, 3, 255);
  contents.variant_image = MakeImage(4, 4, 1, 2, 4, 255);
  contents.log = "refract-log: class wrong_image\nrefract-log: output\n/home/someone/x.cpp: hm\n";
  return contents;
}

std::set<std::string> NamesIn(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

class TestFolders : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::Make();
    ASSERT_TRUE(made) << made.error().message;
    root_.emplace(std::move(*made));
    folder_ = root_->path() + "/found";
  }
  std::string Text(std::string_view name) const {
    const Result<std::string> text = ReadFile(format("{}/{}", folder_, name));
    return text ? *text : "cannot be read: " + text.error().message;
  }

  std::optional<TemporaryFolder> root_;
  std::string folder_;
};

// `repeat` must give the same answer as the run that found the failure.
TEST_F(TestFolders, HoldTheBoundsOfTheComparison) {
  TestRecord record = SampleRecord();
  record.rule = CompareRule::kBounded;
  record.rule.rest = CompareRule::kStable;
  record.rule.thresholds.slack = 3;
  record.rule.thresholds.similarity = 0.25;
  const LevelBounds bounds{std::string(64, '\5'), std::string(64, '\x9')};
  record.rule.bounds = std::make_shared<const std::vector<LevelBounds>>(std::vector{bounds});
  const Status written = WriteTestFolder(folder_, record, SampleContents());
  ASSERT_TRUE(written) << written.error().message;
  const Result<TestRecord> read = ReadTestRecord(folder_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->rule.kind, CompareRule::kBounded);
  EXPECT_EQ(read->rule.rest, CompareRule::kStable);
  EXPECT_EQ(read->rule.thresholds, record.rule.thresholds);
  ASSERT_NE(read->rule.bounds, nullptr);
  EXPECT_EQ(*read->rule.bounds, *record.rule.bounds);
  // The folder may have been sent without the file.
  fs::remove(folder_ + "/bounds.png");
  const Result<TestRecord> without = ReadTestRecord(folder_);
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_EQ(without->rule.bounds, nullptr);
}

TEST_F(TestFolders, RefuseBoundsThatDoNotFit) {
  TestRecord record = SampleRecord();
  record.rule = CompareRule::kBounded;
  const LevelBounds bounds{std::string(64, '\5'), std::string(64, '\x9')};
  record.rule.bounds = std::make_shared<const std::vector<LevelBounds>>(std::vector{bounds});
  ASSERT_TRUE(WriteTestFolder(folder_, record, SampleContents()));
  ASSERT_TRUE(WriteFile(folder_ + "/bounds.png", EncodePng(MakeImage(4, 3))));
  const Result<TestRecord> read = ReadTestRecord(folder_);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("bounds.png: an image of 4 x 3 pixels"), std::string::npos);
}

TEST_F(TestFolders, RefuseUnknownThresholds) {
  TestRecord record = SampleRecord();
  record.rule = CompareRule::kSpatial;
  ASSERT_TRUE(WriteTestFolder(folder_, record, SampleContents()));
  std::string text = Text("test.json");
  const size_t at = text.find("slack=");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 5, "sluck");
  ASSERT_TRUE(WriteFile(folder_ + "/test.json", text));
  const Result<TestRecord> read = ReadTestRecord(folder_);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("'sluck' is not a threshold"), std::string::npos);
}

// A control-flow program without a variant, with a description of its graph.
TEST_F(TestFolders, HoldAControlFlowProgram) {
  TestRecord record = SampleRecord();
  record.fleshed_by = "refract flesh '0>ret' --seed 1";
  TestContents contents;
  contents.original = SampleContents().original;
  contents.graph = "graph: 0>ret\n";
  const Status written = WriteTestFolder(folder_, record, contents);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(NamesIn(folder_), (std::set<std::string>{"README.md", "graph.txt", "original.json",
                                                     "original.spv", "test.json"}));
  const Result<TestRecord> read = ReadTestRecord(folder_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->fleshed_by, record.fleshed_by);
  EXPECT_NE(Text(kReadme).find("refract flesh '0>ret' --seed 1 -o program"), std::string::npos);
  EXPECT_EQ(Text(kReadme).find("variant"), std::string::npos) << Text(kReadme);
}

TEST_F(TestFolders, HoldAGeneratedProgram) {
  TestRecord record = SampleRecord();
  record.generated_by = "refract generate --stage compute --seed 1";
  TestContents contents;
  contents.original = SampleContents().original;
  const Status written = WriteTestFolder(folder_, record, contents);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(NamesIn(folder_),
            (std::set<std::string>{"README.md", "original.json", "original.spv", "test.json"}));
  const Result<TestRecord> read = ReadTestRecord(folder_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->generated_by, record.generated_by);
  EXPECT_EQ(read->fleshed_by, "");
  EXPECT_FALSE(read->HasVariant());
  EXPECT_NE(Text(kReadme).find(record.generated_by + " -o program.spv"), std::string::npos);
  for (const char* other : {"variant", "control-flow", "graph.txt"}) {
    EXPECT_EQ(Text(kReadme).find(other), std::string::npos) << Text(kReadme);
  }
}

TEST_F(TestFolders, AreReadBackAsWritten) {
  const Status written = WriteTestFolder(folder_, SampleRecord(), SampleContents());
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(NamesIn(root_->path()), std::set<std::string>{"found"}) << "no other file is left";
  std::set<std::string> all(std::begin(kTestFiles), std::end(kTestFiles));
  for (const std::string_view name : {kSmallest, kVertex, kFragment, kControl, kEvaluation, kTask,
                                      kMesh, kRayGeneration, kClosestHit, kAnyHit, kIntersection,
                                      kCallable, kGraph, kBounds, kPairDiff, kSelfChecking}) {
    all.erase(std::string(name));
  }
  for (const std::string name : {"pair.original", "pair.variant", "check", "smallest"}) {
    all.erase(name + ".spv"), all.erase(name + ".json");
  }
  all.erase("expected.png");
  EXPECT_EQ(NamesIn(folder_), all);

  const Result<TestRecord> read = ReadTestRecord(folder_);
  ASSERT_TRUE(read) << read.error().message;
  TestRecord expected = SampleRecord();
  EXPECT_EQ(read->what, "tool says that the images differ");
  expected.what = read->what;
  expected.tool = ToolVersion();
  expected.commit = ToolCommit();
  expected.build = ToolBuildType();
  expected.kernel = read->kernel;
  EXPECT_TRUE(read->kernel.starts_with("Linux ")) << read->kernel;
  expected.variant_steps = 9;
  expected.steps = 2;
  expected.types = {"move_block_down", "split_block"};
  expected.instructions = 1;
  EXPECT_EQ(TestJson(*read), TestJson(expected));

  const Result<message::Recording> recording = ReadTestRecording(folder_);
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->steps.size(), 2u);
  EXPECT_NE(Text(kDelta).find("+%7 = OpIMul"), std::string::npos) << Text(kDelta);
  const Result<Image> diff = DecodePng(Text("diff.png"), "diff.png");
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->pixel_count(), 16u);
}

// No host name, user name or absolute path, except in log.txt, which has the output of a program.
TEST_F(TestFolders, RevealNothingAboutTheMachine) {
  ASSERT_TRUE(WriteTestFolder(folder_, SampleRecord(), SampleContents()));
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  for (const std::string& name : NamesIn(folder_)) {
    if (name == kLog) continue;
    const std::string text = Text(name);
    EXPECT_EQ(text.find("/home/"), std::string::npos) << name;
    EXPECT_EQ(text.find(root_->path()), std::string::npos) << name;
    // A short host name could be a word of the page.
    EXPECT_TRUE(std::string_view(host).size() <= 4 || text.find(host) == std::string::npos) << name;
  }
  EXPECT_NE(Text(kLog).find("/home/someone"), std::string::npos);
}

TEST_F(TestFolders, ReadmeTellsIfImagesAndReductionAreMissing) {
  TestRecord record = SampleRecord();
  record.verdict = FailureClass::kCrash;
  record.signature = "crash tool: assertion 'a < `b`' in <id>";
  TestContents contents;
  contents.original.words = ModuleWith("OpIAdd");
  contents.variant = {ModuleWith("OpISub"), nullptr, Steps(9)};
  ASSERT_TRUE(WriteTestFolder(folder_, record, contents));
  EXPECT_EQ(NamesIn(folder_), (std::set<std::string>{"README.md", "original.spv", "test.json",
                                                     "variant.refract", "variant.spv"}));
  const std::string readme = Text(kReadme);
  EXPECT_TRUE(readme.starts_with("# `crash tool: assertion 'a < 'b'' in <id>`\n")) << readme;
  EXPECT_NE(readme.find("This test is not reduced"), std::string::npos) << readme;
  EXPECT_NE(readme.find("These files are absent because"), std::string::npos) << readme;
  const Result<message::Recording> recording = ReadTestRecording(folder_);
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->steps.size(), 9u);
}

TEST_F(TestFolders, ReadmeHasTheExpectedParts) {
  ASSERT_TRUE(WriteTestFolder(folder_, SampleRecord(), SampleContents()));
  const std::string readme = Text(kReadme);
  for (const char* part :
       {"# `wrong_image lavapipe`\n", "same under rule `stable`",
        "wrong_image: tool says that the images differ.", "2 of 3",
        "2 of 9; no step can be removed (1-minimal)", "`move_block_down`, `split_block`",
        "Instructions that differ: 1.", "-%7 = OpIAdd", "    refract repeat .\n",
        "    refract run original.spv reduced.spv --target lavapipe --rule stable --entry 'draw' "
        "--target-env vulkan1.1 --scalar-block-layout --zero-inputs --time-limit 17 -o again\n",
        "| driver | llvmpipe |", "| ICD file | lvp_icd.x86_64.json |",
        "| build-id | libvulkan_lvp.so 0badcafe |", "| build-id | spirv-opt (none) |",
        "| environment | MESA_SHADER_CACHE_DISABLE=1 |", "seed 18446744073709551615",
        "| kernel |"}) {
    EXPECT_NE(readme.find(part), std::string::npos) << part << "\nin\n" << readme;
  }
}

// Without the thresholds, the command could find no difference.
TEST_F(TestFolders, ReadmeComparesWithTheThresholdsOfTheTest) {
  TestRecord record = SampleRecord();
  record.rule = CompareRule::kBounded;
  const std::string usual = TestReadme(record, {"reduced.spv"}, "");
  EXPECT_NE(usual.find(" --rule bounded --entry"), std::string::npos) << usual;
  record.rule.thresholds.slack = 0;
  const std::string strict = TestReadme(record, {"reduced.spv"}, "");
  EXPECT_NE(strict.find(" --rule bounded --thresholds slack=0,narrow=16,levels=8,square=4,"
                        "similarity=0.5,shift=4 --entry"),
            std::string::npos)
      << strict;
  // The rule `exact` has none.
  record.rule.kind = CompareRule::kExact;
  const std::string exact = TestReadme(record, {"reduced.spv"}, "");
  EXPECT_EQ(exact.find("--thresholds"), std::string::npos) << exact;
}

// The code fence is longer than any in the text, so a name in a module cannot end it.
TEST_F(TestFolders, ReadmeQuotesAnyDifference) {
  const std::string readme =
      TestReadme(SampleRecord(), {"reduced.spv"}, "@@ -1,1 +1,1 @@\n+OpName %1 \"````\"\n");
  EXPECT_NE(readme.find("\n`````diff\n"), std::string::npos) << readme;
}

TEST_F(TestFolders, ReplaceOnlyTestFolders) {
  ASSERT_TRUE(WriteTestFolder(folder_ + "/", SampleRecord(), SampleContents()));
  TestContents unreduced = SampleContents();
  unreduced.reduced = {};
  ASSERT_TRUE(WriteTestFolder(folder_, SampleRecord(), unreduced));
  EXPECT_EQ(NamesIn(folder_).count("reduced.spv"), 0u) << "no file of the old test remains";
  EXPECT_EQ(NamesIn(root_->path()), std::set<std::string>{"found"});

  ASSERT_TRUE(WriteFile(folder_ + "/NOT_INTERESTING", ""));
  const std::string before = Text(kReadme);
  const Status refused = WriteTestFolder(folder_, SampleRecord(), SampleContents());
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().message,
      folder_ +
          ": has NOT_INTERESTING, which is not a file of a test folder; choose another folder");
  EXPECT_EQ(Text(kReadme), before);
  EXPECT_EQ(NamesIn(root_->path()), std::set<std::string>{"found"});

  const std::string file = root_->path() + "/file";
  ASSERT_TRUE(WriteFile(file, "x"));
  EXPECT_FALSE(WriteTestFolder(file, SampleRecord(), SampleContents()));
  EXPECT_FALSE(WriteTestFolder(file + "/below", SampleRecord(), SampleContents()));
  EXPECT_EQ(NamesIn(root_->path()), (std::set<std::string>{"file", "found"}));
}

TEST_F(TestFolders, RefuseInvalidRecords) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"format": 2, "refract": "9.1"})",
       "t:1: /format: format 2, written by Refract 9.1; this is Refract"},
      {R"({"format": 0})", "t:1: /format: format 0, written by Refract of an unknown version"},
      {R"({})", "t:1: /: the key 'format' is missing"},
      {"[]", "t:1: : an object is expected"},
      {"{\"format\": 1,\n\"verdict\": \"bored\"}", "t:2: /verdict: unknown value 'bored'"},
      {"{\"format\": 1,\n\"verdict\": 3}", "t:2: /verdict: a string is expected"},
      {R"({"format": 1, "verdict": "crash"})", "t:1: /: the key 'signature' is missing"},
  };
  for (const auto& [text, message] : cases) {
    const Result<TestRecord> read = ParseTestJson("t", text);
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(PlainError(read.error().message).starts_with(message)) << read.error().message;
  }
}

TEST_F(TestFolders, AnyBytesAreReadOrRefused) {
  const std::string sample = TestJson(SampleRecord());
  Random random(5);
  size_t read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = sample;
    for (uint64_t n = 1 + random.Below(3); n > 0; --n) {
      const size_t at = random.Below(text.size());
      if (random.Percent(50)) {
        text[at] = static_cast<char>(random.Below(256));
      } else if (random.Percent(50)) {
        text.erase(at, 1 + random.Below(20));
      } else {
        text.insert(at, sample.substr(random.Below(sample.size()), random.Below(20)));
      }
      if (text.empty()) text = "{";
    }
    const Result<TestRecord> record = ParseTestJson("damaged", text);
    if (record) {
      ++read;
      // It can be written and read like one of ours.
      EXPECT_TRUE(ParseTestJson("again", TestJson(*record)));
    } else {
      EXPECT_TRUE(record.error().message.starts_with("damaged:")) << record.error().message;
    }
  }
  EXPECT_GT(read, 100u);
  EXPECT_LT(read, 2900u);
}

// A failure of a tool is written on a machine without a driver, too.
TEST(DescribeTarget, LeavesOutADriverThatIsMissing) {
  Target driver;
  driver.missing = "not on this machine";
  CommandStep step;
  step.name = "cp";
  step.argv = {"cp", "{in}", "{out}"};
  step.version = "8";
  CommandTarget command;
  command.name = "copy";
  command.steps = {step};
  command.described_driver = std::make_shared<const Target>(driver);
  Target target;
  target.name = "copy";
  target.kind = Target::Kind::kCommand;
  target.command = std::make_shared<const CommandTarget>(command);
  Harness harness;
  const Result<TargetRecord> record = DescribeTarget(target, harness);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->name, "copy");
  EXPECT_EQ(record->version, "cp: 8");
  EXPECT_EQ(record->driver, "");
}

TEST(WithoutFolders, KeepsFileNames) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"/usr/lib/libx.so", "libx.so"},
      {"error in '/tmp/a/b.spv': 7/4 of a/b", "error in 'b.spv': 7/4 of a/b"},
      {"a=/x/y:/z/w,/q/r", "a=y:w,r"},
      {"half / quarter /4", "half / quarter /4"},
      {"file:///home/me/x.json", "file:x.json"},
      {"ends in /home/me/", "ends in "},
      {"", ""},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(WithoutFolders(text), expected);
}

// An ELF file that has only headers, a note of another kind, and a note with that build-id.
std::string ElfWith(std::string_view build_id) {
  const auto bytes_of = [](const auto& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto note = [&](uint32_t type, std::string_view value) {
    const Elf64_Nhdr header = {4, static_cast<uint32_t>(value.size()), type};
    return bytes_of(header) + std::string("GNU", 4) + std::string(value) +
           std::string((4 - value.size() % 4) % 4, '\0');
  };
  const std::string notes = note(NT_GNU_ABI_TAG, "12345") + note(NT_GNU_BUILD_ID, build_id);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  Elf64_Phdr code = {}, segment = {};
  code.p_type = PT_LOAD;
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + 2 * sizeof segment;
  segment.p_filesz = notes.size();
  return bytes_of(header) + bytes_of(code) + bytes_of(segment) + notes;
}

TEST(BuildId, IsReadFromAnElfFile) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string file = folder->path() + "/library";
  ASSERT_TRUE(WriteFile(file, ElfWith("\x01\xab\xff\x7f\x20")));
  EXPECT_EQ(BuildIdOf(file), "01abff7f20");
  ASSERT_TRUE(WriteFile(file, "no ELF file"));
  EXPECT_EQ(BuildIdOf(file), "");
  EXPECT_EQ(BuildIdOf("/nowhere"), "");
  EXPECT_EQ(BuildIdOf("/"), "");
}

TEST(BuildId, IsSafeToReadFromDamagedFiles) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string whole = ElfWith("12345678901234567890");
  const std::string file = folder->path() + "/damaged";
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    std::string damaged = whole.substr(0, random.Below(whole.size() + 1));
    for (int n = 0; n < 4 && !damaged.empty(); ++n) {
      damaged[random.Below(damaged.size())] = static_cast<char>(random.Below(256));
    }
    ASSERT_TRUE(WriteFile(file, damaged));
    EXPECT_LE(BuildIdOf(file).size(), 128u);
  }
}

}  // namespace
}  // namespace refract

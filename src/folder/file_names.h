// SPDX-License-Identifier: Apache-2.0
// The names of the files in a test folder.
#pragma once

#include <spirv/unified1/spirv.hpp11>
#include <string_view>

namespace refract {
inline namespace folder {

inline constexpr std::string_view kTestJson = "test.json";
inline constexpr std::string_view kReadme = "README.md";
inline constexpr std::string_view kDelta = "delta.diff";
inline constexpr std::string_view kLog = "log.txt";
inline constexpr std::string_view kNeighbour = "neighbour.spv";
inline constexpr std::string_view kSmallest = "smallest.spv";
inline constexpr std::string_view kPairDiff = "pair.diff";
inline constexpr std::string_view kSelfChecking = "check.spv";
inline constexpr std::string_view kVertex = "vertex.spv";  ///< the companion
inline constexpr std::string_view kFragment = "fragment.spv";
inline constexpr std::string_view kControl = "control.spv";
inline constexpr std::string_view kEvaluation = "evaluation.spv";
inline constexpr std::string_view kTask = "task.spv";
inline constexpr std::string_view kMesh = "mesh.spv";
inline constexpr std::string_view kRayGeneration = "ray_generation.spv";
inline constexpr std::string_view kClosestHit = "closest_hit.spv";
inline constexpr std::string_view kAnyHit = "any_hit.spv";
inline constexpr std::string_view kIntersection = "intersection.spv";
inline constexpr std::string_view kCallable = "callable.spv";

/// The files of the companion by its stage, with the options that name them.
struct CompanionFile {
  spv::ExecutionModel model;
  std::string_view file, option;
};
inline constexpr CompanionFile kCompanionFiles[] = {
    {spv::ExecutionModel::Vertex, kVertex, "--vertex"},
    {spv::ExecutionModel::Fragment, kFragment, "--fragment"},
    {spv::ExecutionModel::TessellationControl, kControl, "--control"},
    {spv::ExecutionModel::TessellationEvaluation, kEvaluation, "--evaluation"},
    {spv::ExecutionModel::TaskEXT, kTask, "--task"},
    {spv::ExecutionModel::MeshEXT, kMesh, "--mesh"},
    {spv::ExecutionModel::RayGenerationKHR, kRayGeneration, "--ray-generation"},
    {spv::ExecutionModel::ClosestHitKHR, kClosestHit, "--closest-hit"},
    {spv::ExecutionModel::AnyHitKHR, kAnyHit, "--any-hit"},
    {spv::ExecutionModel::IntersectionKHR, kIntersection, "--intersection"},
    {spv::ExecutionModel::CallableKHR, kCallable, "--callable"},
};

inline constexpr std::string_view kReducedText = "reduced.spvasm";
inline constexpr std::string_view kExpected = "expected.png";  ///< of an original that fails
inline constexpr std::string_view kBounds = "bounds.png";      ///< of the rule `bounded`
inline constexpr std::string_view kGraph = "graph.txt";        ///< of a control-flow program

inline constexpr std::string_view kTestFiles[] = {
    kTestJson,
    kReadme,
    kDelta,
    kLog,
    kNeighbour,
    kSmallest,
    "smallest.json",
    "pair.original.spv",
    "pair.original.json",
    "pair.variant.spv",
    "pair.variant.json",
    kPairDiff,
    kSelfChecking,
    "check.json",
    kReducedText,
    "original.spv",
    "original.json",
    "original.png",
    kExpected,
    kBounds,
    "variant.spv",
    "variant.json",
    "variant.refract",
    "variant.png",
    "diff.png",
    "reduced.spv",
    "reduced.json",
    "reduced.refract",
    kVertex,
    kFragment,
    kControl,
    kEvaluation,
    kTask,
    kMesh,
    kRayGeneration,
    kClosestHit,
    kAnyHit,
    kIntersection,
    kCallable,
    kGraph,
};

}  // namespace folder
}  // namespace refract

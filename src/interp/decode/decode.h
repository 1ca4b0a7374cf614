// SPDX-License-Identifier: Apache-2.0
// Decodes a module to Program::Code: types to rows, constants to values, functions to ops. Private
// to this library.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "interp/code.h"
#include "interp/machine.h"
#include "interp/ops/ops.h"
#include "ir/module.h"

namespace refract {
inline namespace interp {

/// A type as rows.
struct TypeInfo {
  spv::Op opcode = spv::Op::OpTypeVoid;
  /// For scalars; for vectors and matrices the type of the components.
  Scalar scalar = Scalar::kInt32;
  uint64_t rows = 0;
  uint32_t parts = 0;            ///< number of components, columns, elements or members
  Id element = Id::kNone;        ///< for all but structs
  uint64_t element_rows = 0;     ///< for all but structs
  std::vector<uint64_t> places;  ///< for structs: the first row of each member
  std::vector<Id> members;
  bool is_signed = false;
};

/// The memory layout of a matrix, or of a vector that is a column of a matrix.
struct MatrixPlace {
  uint32_t stride = 0;
  bool row_major = false;
  friend bool operator==(const MatrixPlace&, const MatrixPlace&) = default;
};

/// What is known of a pointer at decode time.
struct PointerInfo {
  spv::StorageClass storage = spv::StorageClass::Function;
  Id pointee = Id::kNone;
  bool shared = false;
  bool fixed = false;              ///< `object` and `place` are the whole address
  uint32_t object = 0, place = 0;  ///< place: the row or the byte
  uint32_t row = 0;                ///< if not `fixed`: the row with the address
  MatrixPlace matrix;
  Id root = Id::kNone;  ///< the variable, if it is known
};

struct ImageForm;

class Decoder {
 public:
  Decoder(const Module& module, const EntryPoint& entry, const Bindings& bindings,
          const std::string& file, const DecodeOptions& options, bool linked);
  Result<std::unique_ptr<Program::Code>> Decode();

 private:
  // The largest number of rows of a value. Larger objects can only stay in memory.
  static constexpr uint64_t kMostRows = 1u << 14;
  static constexpr uint64_t kMostVariableRows = 1u << 16;
  static constexpr uint32_t kMostCallDepth = 200;

  // --- decode.cpp
  Error Cannot(Inst inst, std::string_view why) const;
  Status CheckModule();
  Status DecodeModule();
  Status DecodeExecutionMode(Inst inst);
  Status SizeGroup();
  uint32_t NewRows(uint64_t rows);
  uint32_t ConstantWord(uint32_t word);
  uint32_t AddWords(const std::vector<uint32_t>& words);

  // --- decode_types.cpp
  Status TypeOf(Id type, const TypeInfo** info);
  Status MakeType(Id type, TypeInfo* info);
  Status MakeStruct(Id type, TypeInfo* info);
  /// Fails for values with too many rows.
  Status ValueType(Inst inst, Id type, const TypeInfo** info);
  Status Flatten(Id type, std::vector<Scalar>* scalars);
  /// The scalars of a type in shared memory, as Offset and strides place them. Without these
  /// decorations, scalars follow one another, with 4 or 8 bytes each.
  Status LayOut(Inst user, Id type, uint64_t offset, MatrixPlace matrix,
                std::vector<MemoryScalar>* scalars);
  Result<uint32_t> StrideIn(Id type, MatrixPlace matrix);
  uint32_t OffsetOf(Id structure, uint32_t member, uint64_t natural) const;
  Result<uint64_t> SizeOf(Id type);
  MatrixPlace MemberMatrix(Id structure, uint32_t member) const;
  static bool IsShared(spv::StorageClass storage);

  // --- decode_constants.cpp
  Status DecodeDeclaration(Inst inst);
  Status DecodeConstant(Inst inst);
  Status DecodeSpecOp(Inst inst);
  std::optional<uint64_t> Specialised(Id constant) const;
  void SetConstant(uint32_t row, uint32_t word, uint32_t shadow = 0);
  void CopyConstant(uint32_t to, uint32_t from, uint32_t rows);
  Machine& ConstantsMachine();
  std::optional<uint64_t> ConstantBits(Id constant);

  // --- decode_variables.cpp
  Status DecodeVariable(Inst inst);
  Status GiveRows(Inst inst, const TypeInfo& type, PointerInfo* pointer);
  Status SetUp(Inst inst, const PointerInfo& pointer, const TypeInfo& type);
  Status DecodeShared(Inst inst, PointerInfo pointer);
  Status SizeWorkgroup(Inst inst, const PointerInfo& pointer, ObjectCode* object);
  Status DecodeResource(Inst inst, PointerInfo pointer);
  Status DecodeInput(Inst inst, const PointerInfo& pointer);
  Status MakeUpInput(Inst inst, const PointerInfo& pointer);
  Status DecodeOutput(Inst inst, Id type, uint32_t row, uint32_t location);

  // --- decode_linked.cpp: the values that a vertex shader passes to a fragment shader
  Status PrepareLinked();
  Status DecodeLinkedInput(Inst inst, const PointerInfo& pointer, bool* done);
  uint32_t AddGiven(uint32_t row, GivenCode given);
  Status NoteOutputs();

  // --- decode_function.cpp
  Status DecodeFunctions();
  Status CheckCalls(Function function, uint32_t depth, std::map<Function, uint32_t>* depths);
  Status DeclareFunction(Function function);
  Status DecodeFunction(Function function);
  std::vector<Block> OrderBlocks(Function function) const;
  Status DecodeBlock(FunctionCode& function, Block block, const ControlFlow& flow);
  Status DecodeEnd(BlockCode* code, Inst terminator);
  Status AddEdge(Block from, Id target);
  Status DecodeSwitch(BlockCode* code, Inst terminator);

  // --- decode_instruction.cpp
  /// An instruction, or the operation of an OpSpecConstantOp.
  struct Form {
    Inst inst = Inst::kNone;
    spv::Op opcode = spv::Op::OpNop;
    uint32_t first = 0;  ///< the in-operand where its operands begin
    uint32_t operands = 0;
  };
  Form FormOf(Inst inst) const;
  Id OperandId(const Form& form, uint32_t index) const {
    return module_.IdAt(form.inst, form.first + index);
  }
  uint32_t OperandWord(const Form& form, uint32_t index) const {
    return module_.Word(form.inst, form.first + index);
  }
  Status DecodeInstruction(Inst inst);
  Status DecodeValue(Inst inst);
  Status DecodeArithmetic(const Form& form, bool* done);
  Status DecodeSelect(const Form& form);
  Status DecodeBitcast(const Form& form);
  Op& EmittedOp();
  Status DecodeBitField(const Form& form, Handler handler);
  Status DecodeExtended(const Form& form, Handler handler);
  Status DecodeExtInst(Inst inst);
  Status DecodeCall(Inst inst);
  /// The rows of a value; decodes the value first if necessary.
  Result<uint32_t> RowOf(Inst user, Id value);
  Status ResultRows(const Form& form, uint32_t* row, const TypeInfo** type);
  void Emit(const Op& op) { ops_->push_back(op); }
  Op MakeOp(Inst inst, Handler handler) const;
  /// Emits an op for an instruction with a result and up to four operands, all with the same number
  /// of components.
  Status EmitPlain(const Form& form, Handler handler);
  void Relax(Inst inst, uint32_t row, const TypeInfo& type);
  Result<const TypeInfo*> OperandType(const Form& form, uint32_t index);

  // --- decode_composite.cpp
  Status DecodeComposite(const Form& form, bool* done);
  Status DecodeExtract(const Form& form);
  Status DecodeInsert(const Form& form);
  Status DecodeConstruct(const Form& form);
  Status DecodeShuffle(const Form& form);
  Status DecodeTranspose(const Form& form);
  Status DecodeDynamic(const Form& form);
  Status DecodeUndef(const Form& form);
  Status EmitGather(const Form& form, const std::vector<uint32_t>& rows);
  Result<uint32_t> PlaceIn(const Form& form, Id type, uint32_t first_index, Id* part);
  uint32_t UndefinedRow();
  /// Makes the result an alias of these rows, without any op, unless an audit needs separate rows.
  Status Alias(const Form& form, uint32_t row);
  // --- decode_linear.cpp: products of vectors and matrices, as multiplications and additions
  Status DecodeLinear(const Form& form, bool* done);
  void EmitDot(const Form& form, Scalar scalar, uint32_t result,
               const std::vector<std::pair<uint32_t, uint32_t>>& products);

  // --- decode_memory.cpp
  struct Chain;
  Status DecodeMemory(const Form& form, bool* done);
  Result<PointerInfo> PointerOf(Inst user, Id pointer);
  Result<uint32_t> PointerRows(Inst user, Id pointer);
  Status AliasPointer(const Form& form, bool* done);
  Op PointerOp(Inst inst, Handler handler, const PointerInfo& pointer);
  Status EmitLoad(Inst inst, const PointerInfo& pointer, uint32_t row);
  Status EmitStore(Inst inst, const PointerInfo& pointer, uint32_t row);
  Status DecodeLoad(const Form& form);
  Status DecodeStore(const Form& form);
  Status DecodeCopyMemory(const Form& form);
  Status DecodeAccessChain(const Form& form, uint32_t first);
  Status Step(const Form& form, Id index, bool shared, Chain* chain);
  Status AddIndex(const Form& form, Id index, uint64_t stride, uint32_t bound, Chain* chain);
  Status DecodeArrayLength(const Form& form);

  // --- decode_atomic.cpp
  Status DecodeAtomic(const Form& form, bool* done);
  // --- decode_collective.cpp: derivatives, barriers, integer dot products
  Status DecodeCollective(const Form& form, bool* done);
  Status DecodeBarrier(const Form& form);
  Status DecodeIntegerDot(const Form& form);
  // --- decode_subgroup.cpp
  Status DecodeSubgroup(const Form& form, bool* done);
  bool IsSameForAll(const Form& form, spv::Op opcode) const;
  Status DecodeVote(const Form& form, Op op);
  Status DecodeBallotQuery(const Form& form, Op op);
  Status DecodeGroupArithmetic(const Form& form, Op op);
  // --- decode_glsl.cpp
  Status DecodeGlsl(const Form& form, uint32_t number);
  Status DecodeGlslVector(const Form& form, uint32_t number);
  Status DecodePack(const Form& form, uint32_t number, Handler handler);
  Status DecodeParts(const Form& form, uint32_t number);
  // --- decode_image.cpp
  Status DecodeImage(const Form& form, bool* done);
  Status DecodeImageForm(const Form& form, ImageForm* image);
  Status DecodeCoordinate(const Form& form, uint32_t index, ImageForm* image);
  Status DecodeScalar(const Form& form, uint32_t index, uint32_t* row, uint32_t* scalar);
  Status DecodeImageOperands(const Form& form, uint32_t first, ImageForm* image);
  Status EmitImageOp(const Form& form, Handler handler, const ImageForm& image);
  uint32_t AddImageForm(const ImageForm& image);
  Status DecodeImagePair(const Form& form);
  Status DecodeTexelPointer(const Form& form);
  Status DecodeQueryLevels(const Form& form);
  /// Checks that an image of the variable's shape is bound to the variable.
  Status CheckResource(Inst user, const PointerInfo& pointer) const;
  Status LoadResource(const Form& form, const PointerInfo& pointer);
  // --- decode_audit.cpp
  void PrepareAudit();
  /// Emits audit ops after an instruction, or at the start of a function for its parameters.
  Status AuditAfter(Inst inst);
  Status AuditParameters(Function function);
  Status AuditEquals(Inst inst);
  Status EmitRandom(Inst inst, Id id);
  Status EmitRandomScalars(Inst inst, Id type, uint32_t row, uint8_t flags);
  Status EmitNote(Inst inst);
  /// Gives the row of an irrelevant constant another value.
  void RandomiseConstant(Inst inst, uint32_t row, const TypeInfo& type);
  /// Makes random arguments for the function that is run alone.
  Status DecodeArguments(Function function);
  Result<std::pair<uint32_t, Id>> PlaceOfPart(Inst user, const ValuePath& path);
  // --- decode_agreement.cpp
  Status AuditAgreement(Inst inst);
  void AuditEntry(Block block);

  const Module& module_;
  const EntryPoint& entry_;
  const std::string& file_;
  const DecodeOptions& options_;
  std::unique_ptr<Program::Code> code_;
  std::map<Id, TypeInfo> types_;
  std::vector<uint32_t> rows_;  // by id: first row + 1; 0: not decoded yet
  std::map<Id, PointerInfo> pointers_;
  std::map<uint32_t, uint32_t> constant_words_;
  std::map<Function, uint32_t> functions_;
  std::set<Id> dead_blocks_, irrelevant_, pointees_, uniform_;  // from the audit
  std::map<Id, DivergenceClass> agreed_;
  std::map<Inst, std::vector<const std::pair<ValuePath, ValuePath>*>> equal_after_;
  std::vector<Function> reached_;
  std::map<Block, uint32_t> positions_;  // in the function that is being decoded
  std::vector<Op>* ops_ = nullptr;
  std::vector<Op> setup_;  // for the module, or for the function that is being decoded
  std::unique_ptr<Machine> constants_machine_;
  RunOptions constants_options_;
  uint64_t sparse_rows_ = 0;
  std::vector<Id> huge_nulls_;
  std::map<Id, std::string> without_memory_;  // variables that cannot be used, and the reason
  bool linear_quads_ = false;                 // DerivativeGroupLinear
  bool fine_buffers_ = false;                 // the module has 8-bit or 16-bit numbers
  uint32_t undefined_row_ = UINT32_MAX;
  std::vector<InterfaceSlot> inputs_;  // for a linked program
  Id group_ids_[3] = {};               // LocalSizeId, or the components of WorkgroupSize
};

}  // namespace interp
}  // namespace refract

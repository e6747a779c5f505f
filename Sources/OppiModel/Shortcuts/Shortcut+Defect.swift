// SPDX-License-Identifier: MIT

extension Shortcut {
  /// Why a shortcut cannot be run.
  package enum Defect: Sendable, Equatable {
    case noPrompt
    /// The prompt contains a NUL character.
    case nulInPrompt
    /// The prompt has `{{input}}` and the shortcut does not read standard input, or the reverse.
    case inputMismatch(readsInput: Bool)
    /// `input` is reserved for standard input.
    case inputVariable
    /// A variable without a placeholder in the prompt.
    case unusedVariable(String)
    case waitsAndQueues
    case expiresWithoutQueue
    case onAskWithoutWait
    case onLimitWithoutWait
    case maxCostWithoutWait
    /// The prompt has `{{when}}` and the shortcut has no condition.
    case whenWithoutCondition
    /// `when` is reserved for the output of the condition.
    case whenVariable
    case checksWithoutWait
    case thenWithoutWait
  }

  /// The first defect; `nil` if the shortcut can be run.
  package var defect: Defect? {
    let names = template.names
    let unused = variables.keys.filter { !names.contains($0) }.sorted()
    if prompt.allSatisfy(\.isWhitespace) { return .noPrompt }
    if prompt.utf8.contains(0) { return .nulInPrompt }
    if names.contains(PromptTemplate.input) != readsInput {
      return .inputMismatch(readsInput: readsInput)
    }
    if variables[PromptTemplate.input] != nil { return .inputVariable }
    if let name = unused.first { return .unusedVariable(name) }
    if isWaiting, isQueueing { return .waitsAndQueues }
    if expiry != nil, !isQueueing { return .expiresWithoutQueue }
    if onAsk ?? .wait != .wait, !isWaiting { return .onAskWithoutWait }
    if onLimit != .fail, !isWaiting { return .onLimitWithoutWait }
    if maxCost != nil, !isWaiting { return .maxCostWithoutWait }
    if names.contains(RunCondition.placeholder), condition == nil { return .whenWithoutCondition }
    if variables[RunCondition.placeholder] != nil { return .whenVariable }
    if !checks.isEmpty, !isWaiting { return .checksWithoutWait }
    if then != nil, !isWaiting { return .thenWithoutWait }
    return nil
  }
}

// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiText

/// The prompt of a shortcut's run.
extension NamedShortcut {
  /// Checks the values of a run, which do not include `input`.
  ///
  /// - Throws: `OppiError` if a value is missing or not accepted.
  func check(_ values: [String: String]) throws(OppiError) {
    guard values[PromptTemplate.input] == nil else {
      throw OppiError(
        .usage,
        "'input' is replaced by standard input and cannot be set with --var"
      )
    }
    _ = try filled(with: values, input: shortcut.readsInput ? "" : nil, check: "")
  }

  /// Returns the prompt with checked values, with standard input, `nil` if the shortcut does not
  /// read it, and with the output of its condition, which must be safe to insert.
  ///
  /// - Throws: If the prompt is empty.
  func prompt(
    with values: [String: String],
    input: [UInt8]?,
    check: String
  ) throws(OppiError) -> String {
    let input = input.map { String(decoding: $0, as: UTF8.self).safeBlock() }
    let text = try filled(with: values, input: input, check: check)
    guard !text.allSatisfy(\.isWhitespace) else {
      throw OppiError(.badInput, "the prompt of shortcut \(name.text) is empty")
    }
    return text
  }

  private func filled(
    with values: [String: String],
    input: String?,
    check: String
  ) throws(OppiError) -> String {
    let template = shortcut.template
    // A shortcut's own values may be untrusted, too.
    var defaults = shortcut.variables.mapValues { $0.safeBlock(limit: PromptTemplate.valueLimit) }
    defaults[PromptTemplate.input] = input
    if shortcut.condition != nil { defaults[RunCondition.placeholder] = check }
    do {
      return try template.filled(with: values, defaults: defaults)
    } catch {
      switch error {
      case .missing(let names):
        let others = values.keys.filter { !template.names.contains($0) }.sorted()
        let remark = others.first.map { "; its prompt has no {{\($0)}}" } ?? ""
        let options = names.map { "--var \($0)=..." }.joined(separator: " ")
        throw OppiError(
          .usage,
          "shortcut \(name.text) requires a value for \(names.joined(separator: ", "))\(remark)",
          hints: ["set it with: oppi run \(name.text) \(options)"]
        )
      case .unknown(let names):
        throw OppiError(
          .usage,
          "the prompt of shortcut \(name.text) has no {{\(names[0])}}",
          hints: ["show it with: oppi shortcuts show \(name.text)"]
        )
      }
    }
  }
}

/// The shortcuts that run one after the other, each after the success of the one before.
enum ShortcutChain {
  /// The placeholder for the answer of the turn before.
  static let placeholder = "answer"
  /// The most shortcuts that follow each other.
  static let limit = 5
  /// The characters of an answer that are inserted.
  static let answerLimit = 64 << 10
}

extension ShortcutStore {
  /// Checks before anything is sent that the chain of shortcuts that follow the first one, or a
  /// prompt without one, is finite, and that each shortcut exists and has its values.
  ///
  /// - Throws: `OppiError`; `FileError`.
  func checkChain(_ next: ShortcutName?, after first: ShortcutName?) throws {
    var names = first.map { [$0] } ?? []
    var follower = next
    var count = 0
    while let name = follower {
      let chain = (names + [name]).map(\.text).joined(separator: " → ")
      guard !names.contains(name) else {
        throw OppiError(.usage, "the chain \(chain) is a loop; nothing was sent")
      }
      count += 1
      guard count <= ShortcutChain.limit else {
        throw OppiError(
          .usage,
          "the chain \(chain) … has more than \(ShortcutChain.limit) followers; nothing was sent"
        )
      }
      names.append(name)
      let shortcut = try shortcut(name)
      // Its prompt needs no value but the answer.
      let takesAnswer = shortcut.template.names.contains(ShortcutChain.placeholder)
      try NamedShortcut(name: name, shortcut: shortcut)
        .check(takesAnswer ? [ShortcutChain.placeholder: ""] : [:])
      follower = shortcut.then
    }
  }
}

// SPDX-License-Identifier: MIT

import OppiModel

/// The prompt of a shortcut's run, with the values of its placeholders.
struct ShortcutPrompt: Sendable {
  private let name: ShortcutName
  private let template: PromptTemplate
  private let values: [String: String]
  private let defaults: [String: String]
  private let hasCondition: Bool

  /// Checks the values of a run.
  ///
  /// - Parameters:
  ///   - named: The shortcut.
  ///   - values: The values of its placeholders, without `input`.
  /// - Throws: `ShortcutError` if a value is missing or not accepted.
  init(
    of named: NamedShortcut,
    with values: [String: String]
  ) throws(ShortcutError) {
    guard values[PromptTemplate.input] == nil else { throw .inputAsVariable }
    (name, template, self.values) = (named.name, named.shortcut.template, values)
    // A shortcut's own values may be untrusted, too.
    defaults = named.shortcut.variables.mapValues {
      $0.safeBlock(limit: PromptTemplate.valueLimit)
    }
    hasCondition = named.shortcut.condition != nil
    _ = try filled(input: named.shortcut.readsInput ? "" : nil, check: "")
  }

  /// Returns the prompt with standard input filled in.
  ///
  /// - Parameters:
  ///   - input: The bytes from standard input; `nil` if the shortcut does not read it.
  ///   - check: The output of its condition, safe to insert.
  /// - Returns: The prompt.
  /// - Throws: `ShortcutError.emptyPrompt`.
  func text(input: [UInt8]?, check: String) throws(ShortcutError) -> String {
    let input = input.map { String(decoding: $0, as: UTF8.self).safeBlock() }
    let text = try filled(input: input, check: check)
    guard !text.allSatisfy(\.isWhitespace) else { throw .emptyPrompt(name) }
    return text
  }

  private func filled(input: String?, check: String) throws(ShortcutError) -> String {
    var defaults = defaults
    defaults[PromptTemplate.input] = input
    if hasCondition { defaults[RunCondition.placeholder] = check }
    do {
      return try template.filled(with: values, defaults: defaults)
    } catch {
      switch error {
      case .missing(let names):
        let others = values.keys.filter { !template.names.contains($0) }.sorted()
        throw .missingValues(names, unused: others.first, of: name)
      case .unknown(let names): throw .noSuchPlaceholder(names[0], in: name)
      }
    }
  }
}

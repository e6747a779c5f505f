// SPDX-License-Identifier: MIT

import CommandTable
import Oppi

/// The parser and the completion accept any words.
///
/// The input has one word per line.
func fuzzWords(_ bytes: [UInt8]) {
  let tool = OppiTable.tool
  let words = String(decoding: bytes, as: UTF8.self)
    .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  do throws(UsageError) {
    _ = try tool.parse(words)
  } catch {
    precondition(!error.message.isEmpty, "a mistake without words")
  }
  _ = tool.globalsIgnoringErrors(words)
  let answer = CompletionEngine.candidates(words: words, in: tool) { kind in
    [CompletionCandidate(kind, "a \(kind)"), CompletionCandidate(words[0], "as typed")]
  }
  expectSafe(answer.text, alsoAllowed: ["\n", "\t"])
  guard case .candidates(let candidates) = answer else { return }
  let typed = words[words.count - 1].lowercased()
  for candidate in candidates {
    precondition(candidate.value.lowercased().hasPrefix(typed), "not what was typed: \(candidate)")
  }
}

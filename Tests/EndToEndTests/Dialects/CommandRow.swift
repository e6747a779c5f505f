// SPDX-License-Identifier: MIT

/// A command with its expected outcomes on the servers of all dialects.
struct CommandRow: Sendable {
  /// An outcome; the texts are regular expressions for all of the output, in which `ID` and `TIME`
  /// stand for any.
  struct Expected: Sendable {
    var status: Int32 = 0
    var output: String
    var errors: String

    init(_ status: Int32 = 0, _ output: String = "", errors: String = "") {
      (self.status, self.output, self.errors) = (status, output, errors)
    }
  }

  /// The words of the command line; `REQUEST` and `DEVICE` stand for ids.
  var words: [String]
  var expected: Expected
  /// The outcomes that differ.
  var others: [NamedDialect: Expected] = [:]
  /// A prompt whose request is pending when the command starts.
  var prompt: String?

  init(
    _ line: String,
    _ expected: Expected,
    pending prompt: String? = nil,
    _ others: (Set<NamedDialect>, Expected)...
  ) {
    words = line.split(separator: " ").map(String.init)
    self.expected = expected
    self.prompt = prompt
    for (dialects, expected) in others {
      for dialect in dialects { self.others[dialect] = expected }
    }
  }

  func expected(of dialect: NamedDialect) -> Expected { others[dialect] ?? expected }
}

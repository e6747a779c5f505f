// SPDX-License-Identifier: MIT

import Foundation

/// What a program said and how it ended.
package struct Outcome: Sendable, CustomStringConvertible {
  package var output: String
  package var errors: String
  package var status: Int32

  package init(output: String, errors: String, status: Int32) {
    (self.output, self.errors, self.status) = (output, errors, status)
  }

  /// The transcript that a failed expectation shows.
  package var description: String { "\(output)--- stderr ---\n\(errors)[exit \(status)]" }

  package var outputLines: [Substring] { output.split(separator: "\n") }
  package var errorLines: [Substring] { errors.split(separator: "\n") }

  /// The output was JSON, but no object.
  struct NotAnObject: Error {
    var outcome: Outcome
  }

  /// The output as the one JSON object that it must be.
  package func json() throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
    guard let object = object as? [String: Any] else { throw NotAnObject(outcome: self) }
    return object
  }
}

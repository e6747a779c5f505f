// SPDX-License-Identifier: MIT

import Foundation

/// The output and the exit status of a program.
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

  /// The output is JSON, but not an object.
  struct NotAnObject: Error {
    var outcome: Outcome
  }

  /// The output as a single JSON object.
  package func json() throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(output.utf8))
    guard let object = object as? [String: Any] else { throw NotAnObject(outcome: self) }
    return object
  }
}

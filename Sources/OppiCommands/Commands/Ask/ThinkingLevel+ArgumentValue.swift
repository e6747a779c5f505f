// SPDX-License-Identifier: MIT

package import CommandTable
package import OppiModel

extension ThinkingLevel: ArgumentValue {
  package static var placeholder: String { "LEVEL" }
  package static var choices: [String] { advertised.map(\.rawValue) }

  package init(argument: String) throws(ArgumentValueError) {
    guard let level = ThinkingLevel(rawValue: argument) else {
      throw ArgumentValueError("expects off, low, medium or high")
    }
    self = level
  }
}

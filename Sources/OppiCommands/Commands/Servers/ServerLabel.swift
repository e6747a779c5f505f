// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// The rule for labels of servers.
enum ServerLabel {
  /// Throws where a label could not be told from other ways to name things.
  static func check(_ label: String) throws(UsageError) {
    guard label.safeLine(limit: 80) == label, !label.isEmpty,
      !label.contains(where: { "/|→".contains($0) })
    else {
      throw UsageError(
        .custom("a server's name is up to 80 printable characters without / | →")
      )
    }
  }
}

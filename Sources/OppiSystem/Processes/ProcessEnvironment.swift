// SPDX-License-Identifier: MIT

import Glibc

/// The variables that the process was started with.
package enum ProcessEnvironment {
  /// Returns them all; bytes that are not UTF-8 are replaced.
  package static func current() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let words = String(cString: text).split(
        separator: "=",
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      if words.count == 2 { variables[String(words[0])] = String(words[1]) }
      entry += 1
    }
    return variables
  }
}

// SPDX-License-Identifier: MIT

import Glibc

/// The variables that the process was started with.
package enum ProcessEnvironment {
  /// Returns them all; bytes that are not UTF-8 are replaced.
  package static func current() -> [String: String] {
    var entries: [String] = []
    var entry = environ
    while let text = entry.pointee {
      entries.append(String(cString: text))
      entry += 1
    }
    return variables(in: entries)
  }

  /// Returns the variables that stand as `NAME=value`.
  static func variables(in entries: [String]) -> [String: String] {
    var variables: [String: String] = [:]
    for entry in entries {
      let words = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if words.count == 2 { variables[String(words[0])] = String(words[1]) }
    }
    return variables
  }
}

// SPDX-License-Identifier: MIT

/// How many sessions a server loads at most; servers do not tell, and their owners may change it.
enum LoadLimits {
  static let ofWorkspace = 20
  static let ofServer = 40

  /// Whether a count is four fifths of a limit, or more.
  static func isNearly(_ count: Int, _ limit: Int) -> Bool { count * 5 >= limit * 4 }
}

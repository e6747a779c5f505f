// SPDX-License-Identifier: MIT

/// The default limits on loaded sessions; servers do not report changed ones.
package enum LoadLimits {
  package static let ofWorkspace = 20
  package static let ofServer = 40

  /// Whether a count is at least 80 % of a limit.
  package static func isNearly(_ count: Int, _ limit: Int) -> Bool { count * 5 >= limit * 4 }
}

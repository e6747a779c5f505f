// SPDX-License-Identifier: MIT

/// How hard the model thinks before it answers.
package enum ThinkingLevel: String, Sendable, CaseIterable {
  case off
  case minimal
  case low
  case medium
  case high
  case xhigh

  /// The four levels that are offered to users; the other two are accepted.
  package static let advertised: [ThinkingLevel] = [.off, .low, .medium, .high]
}

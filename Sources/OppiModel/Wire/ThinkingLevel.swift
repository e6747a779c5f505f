// SPDX-License-Identifier: MIT

/// How hard the model thinks before it answers.
package enum ThinkingLevel: String, Sendable, CaseIterable {
  case off
  case minimal
  case low
  case medium
  case high
  case xhigh
}

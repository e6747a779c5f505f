// SPDX-License-Identifier: MIT

/// The amount of reasoning before an answer.
package enum ThinkingLevel: String, Sendable, CaseIterable {
  case off
  case minimal
  case low
  case medium
  case high
  case xhigh
}

// SPDX-License-Identifier: MIT

package import OppiModel

extension Dialect {
  /// The servers that speak it, in words; the name for a combination that was never released.
  package var label: String {
    switch self {
    case .deviceKeys: "version 0.47 or later"
    case .sessionSockets: "version 0.42 to 0.46"
    case .multiplexed: "version of spring 2026"
    case .perSession: "version before spring 2026"
    default: name
    }
  }
}

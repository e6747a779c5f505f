// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// The servers that the demo can imitate, by the names of their dialects.
enum DemoDialect: String, Sendable, CaseIterable, ArgumentValue {
  case deviceKeys
  case sessionSockets
  case multiplexed
  case perSession

  var dialect: Dialect {
    switch self {
    case .deviceKeys: .deviceKeys
    case .sessionSockets: .sessionSockets
    case .multiplexed: .multiplexed
    case .perSession: .perSession
    }
  }
}

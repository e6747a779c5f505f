// SPDX-License-Identifier: MIT

import OppiModel
import Synchronization

/// Where the messages of a stream go.
protocol Outlet: Sendable {
  func send(_ message: JSONValue)
}

/// Collects the messages that a command over REST is sent.
final class Collector: Outlet {
  private let collected = Mutex<[JSONValue]>([])

  var messages: [JSONValue] { collected.withLock { $0 } }

  func send(_ message: JSONValue) {
    collected.withLock { $0.append(message) }
  }
}

// SPDX-License-Identifier: MIT

import OppiModel

/// Each line of an app event stream is understood and safe to show, or ignored.
func fuzzEvents(_ bytes: [UInt8]) {
  for line in bytes.split(separator: UInt8(ascii: "\n")) {
    guard let event = AppEvent(bytes: Array(line)) else { continue }
    if let id = event.sessionID { precondition(WireID.isValid(id), "an id for no path: \(id)") }
    switch event.kind {
    case .summary(let session):
      expectSafe([session.name, session.workspaceName, session.model].compactMap(\.self))
      let times = [session.createdAt, session.lastActivity]
      for time in times { _ = time.iso8601 }
      precondition(session.pendingCount >= 0, "fewer than no dialogs")
    case .question(let question): expectShown(question)
    case .settled(let id): precondition(WireID.isValid(id), "an id for no path: \(id)")
    case .connected, .stopped, .ended, .deleted, .failed, .other: break
    }
  }
}

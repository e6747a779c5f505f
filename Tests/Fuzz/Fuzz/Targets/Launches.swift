// SPDX-License-Identifier: MIT

import OppiModel

/// The answer to a creation never claims a delivery that the server does not report, and its
/// reasons are safe to show.
func fuzzLaunches(_ bytes: [UInt8]) {
  let status = 100 + Int(bytes.first ?? 0) * 2
  guard let json = try? JSONValue(parsing: Array(bytes.dropFirst())) else { return }
  for status in [status, 200, 201, 409] {
    switch LaunchAnswer(status: status, json: json) {
    case .session(let session, let isPrompted, let reason)?:
      precondition((200..<300).contains(status), "a session by status \(status)")
      precondition(WireID.isValid(session.id), "an id for no path: \(session.id)")
      let delivered: JSONValue = "delivered"
      precondition(
        !isPrompted || json["prompted"] == true
          || json["session"]["launch"]["promptDispatch"] == delivered,
        "delivered without a sign"
      )
      expectSafe([session.name ?? "", reason])
    case .inProgress?: precondition(status == 409, "in progress by status \(status)")
    case .cannotStart(let reason, let id)?:
      precondition(status == 409, "refused by status \(status)")
      precondition(id.map(WireID.isValid) ?? true, "an id for no path")
      expectSafe(reason)
    case nil: break
    }
  }
}

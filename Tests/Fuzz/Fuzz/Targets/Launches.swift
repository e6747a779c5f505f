// SPDX-License-Identifier: MIT

import OppiModel

/// The answer to a creation never claims a delivery that the server does not report, and its
/// reasons are safe to show.
func fuzzLaunches(_ bytes: [UInt8]) {
  let status = 100 + Int(bytes.first ?? 0) * 2
  guard let json = try? JSONValue(parsing: Array(bytes.dropFirst())) else { return }
  for status in [status, 200, 201, 409] {
    guard let answer = LaunchAnswer(status: status, json: json) else { continue }
    precondition(answer.sessionID.map(WireID.isValid) ?? true, "an id for no path")
    precondition((answer.session != nil) == (status != 409), "a session by status \(status)")
    precondition(status == 409 || (200..<300).contains(status), "an answer by status \(status)")
    expectSafe(answer.session?.name ?? "")
    switch answer.event {
    case .delivered:
      let delivered: JSONValue = "delivered"
      precondition(
        status != 409
          && (json["prompted"] == true
            || json["session"]["launch"]["promptDispatch"] == delivered),
        "delivered without a sign"
      )
    case .undelivered(let reason, _): expectSafe(reason)
    default: precondition(status == 409 && answer.event == .inProgress, "not an answer")
    }
  }
}

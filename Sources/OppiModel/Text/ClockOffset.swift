// SPDX-License-Identifier: MIT

/// Compares a server's clock with this machine's.
package enum ClockOffset {
  /// How far a server's clock is ahead, by the date of its answer, which has whole seconds.
  ///
  /// Zero if the clocks may agree, so that the result does not vary from answer to answer.
  ///
  /// - Parameters:
  ///   - date: The date of the answer: the server's time, rounded down to a second.
  ///   - sentAt: When the request was sent, on this machine's clock.
  ///   - receivedAt: When the answer was received.
  /// - Returns: The difference.
  package static func estimate(
    date: Timestamp,
    sentAt: Timestamp,
    receivedAt: Timestamp
  ) -> Duration {
    let least = date.milliseconds.subtractingReportingOverflow(receivedAt.milliseconds).0
    let most = date.milliseconds.addingReportingOverflow(999).0
      .subtractingReportingOverflow(sentAt.milliseconds).0
    guard least > 0 || most < 0 else { return .zero }
    return .milliseconds(least / 2 + most / 2)
  }

  /// How far a server's clock is ahead, by its time at about half of the round trip.
  package static func estimate(
    serverTime: Int,
    sentAt: Timestamp,
    receivedAt: Timestamp
  ) -> Duration {
    let middle = sentAt.milliseconds + (receivedAt.milliseconds - sentAt.milliseconds) / 2
    return .milliseconds(serverTime.subtractingReportingOverflow(middle).0)
  }
}

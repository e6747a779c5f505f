// SPDX-License-Identifier: MIT

package import OppiModel

/// One turn on one line, for whoever waits for its end and not for its details.
package enum ActivityLine {
  /// Returns the line, safe to show.
  ///
  /// - Parameters:
  ///   - activity: The turn.
  ///   - sessionID: The session that it is in.
  ///   - width: The columns that it does not exceed.
  ///   - now: The moment to count from.
  /// - Returns: The session, what it does, and for how long already.
  package static func line(
    for activity: TurnActivity,
    of sessionID: String,
    width: Int,
    now: Timestamp
  ) -> StyledText {
    let mark = StatusMark(activity)
    var line = StyledText("\(mark.symbol) session \(sessionID)", mark.style)
    line.append(": ", .dim)
    line = line.with(ActivityCard.work(activity) ?? StyledText(mark.word, mark.style))
    guard activity.startedAt != nil else { return line.truncated(to: width) }
    let seconds = activity.elapsed(at: now).components.seconds
    let time = StyledText(ElapsedTime.text(.seconds(max(1, seconds))), .dim)
    return line.with(time, at: width)
  }
}

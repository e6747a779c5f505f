// SPDX-License-Identifier: MIT

package import OppiModel

/// One turn on one line, for output that shows only its progress and end.
package enum ActivityLine {
  /// Returns the session, its activity and the elapsed time, safe to show, in at most `width`
  /// columns.
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

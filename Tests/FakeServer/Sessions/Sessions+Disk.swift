// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

extension Sessions {
  /// The disk contents: of conversations, only the written part.
  var archive: Archive {
    Archive(
      sessions: all.values.map { session in
        Archive.Session(record: shownRecord(of: session), trace: session.trace.reopened)
      },
      choices: choices,
      approvedCommands: permissions.approvedCommands,
      uploads: uploads,
      scheduleRuns: scheduleRuns
    )
  }

  /// Prevents all further output; returns the disk contents at that moment.
  func crash() -> Archive {
    power.cut()
    return archive
  }

  /// Loads the sessions of the previous server.
  static func sessions(
    from archive: Archive,
    _ dialect: Dialect,
    on loop: EventLoop
  ) -> [String: LiveSession] {
    var sessions: [String: LiveSession] = [:]
    for var entry in archive.sessions {
      if dialect.stopsSessionsAtLaunch { entry.record.status = .stopped }
      sessions[entry.record.id] = LiveSession(entry.record, trace: entry.trace, on: loop)
    }
    return sessions
  }

  // MARK: - The disk

  /// The record for responses that do not show the current state.
  func shownRecord(of session: LiveSession) -> SessionRecord {
    let isBehind = dialect.showsWrittenSessions && configuration.restLag > .zero
    return isBehind ? session.written : session.record
  }

  func shown(_ session: LiveSession) -> JSONValue { shownRecord(of: session).json(dialect) }

  func write(_ session: LiveSession) {
    session.written = session.record
    session.isWriteDue = false
    announceSummary(of: session)
  }

  /// Schedules a write of a session, which includes changes until then.
  func writeLater(_ session: LiveSession) {
    let lag = configuration.restLag
    guard dialect.showsWrittenSessions, lag > .zero, !session.isWriteDue else { return }
    session.isWriteDue = true
    later(lag) { [id = session.id] sessions in
      if let session = sessions.all[id], session.isWriteDue { sessions.write(session) }
    }
  }
}

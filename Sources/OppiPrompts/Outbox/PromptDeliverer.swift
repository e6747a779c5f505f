// SPDX-License-Identifier: MIT

package import OppiClient
import OppiModel
package import OppiSystem
package import OppiText
import OppiWire

/// What delivers queued prompts without another command.
package enum PromptDeliverer: Sendable, Equatable {
  case nothing
  case watch
  case unit(String)
  case crontab

  /// The commands that deliver queued prompts.
  package static let remedies = [
    "deliver them: oppi outbox flush", "deliver automatically: oppi setup, or oppi watch",
  ]
}

extension Context {
  /// The background units that setup installs; the first does the work of all others.
  package var backgroundUnits: [UserManager.Unit] {
    SetupProgram(name: programName, path: services.programPath()).enabledUnits
  }

  /// Says that nothing delivers a prompt that was just queued, and what would; empty otherwise.
  func deliveryNotes() async -> [Report.Note] {
    guard let deliverer = try? await services.promptDeliverer(among: backgroundUnits),
      deliverer == .nothing
    else { return [] }
    return [.warning("queued prompts are not delivered automatically")]
      + PromptDeliverer.remedies.map(Report.Note.hint)
  }
}

extension Services {
  package enum WatchState: Sendable, Equatable {
    case running
    /// Running, but without a snapshot yet.
    case starting
    /// Running, but without a new snapshot since then; `now` is the time of the check.
    case stuck(since: Timestamp, now: Timestamp)
    case absent
  }

  /// Whether `oppi watch` is running and updates its snapshot, as readers of the snapshot see it.
  package func watchState() throws(FileError) -> WatchState {
    guard try files.isLocked(paths.watchFile) else { return .absent }
    guard let snapshot = statusFile.usable() else { return .starting }
    let now = now()
    return snapshot.isKept(at: now) ? .running : .stuck(since: snapshot.at, now: now)
  }

  private static let crontabLimit = Duration.seconds(1)

  /// Finds what delivers queued prompts: a running watch, one of these units, or the user's crontab.
  ///
  /// - Throws: `FileError` if the lock of the watch cannot be read.
  package func promptDeliverer(among units: [UserManager.Unit]) async throws -> PromptDeliverer {
    switch try watchState() {
    case .running, .starting: return .watch
    case .stuck, .absent: break
    }
    // A cron job has the user's units, but does not see the user's manager.
    if userManager.isThere || nonEmpty("XDG_RUNTIME_DIR") == nil,
      let unit = units.first(where: userManager.isEnabled)
    {
      return .unit(unit.name)
    }
    guard programs.has("crontab"),
      let crontab = try? await crontab.load(within: Self.crontabLimit)
    else { return .nothing }
    return crontab.deliversPrompts ? .crontab : .nothing
  }
}

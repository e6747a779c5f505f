// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTransport

/// What delivers queued prompts without another command.
enum PromptDeliverer: Sendable, Equatable {
  case nothing
  /// Cannot be determined in this environment.
  case unknown
  case watch
  case unit(String)
  case crontab
}

extension IntentContext {
  private static let crontabLimit = Duration.seconds(1)

  /// Finds what delivers queued prompts: a running watch, one of these units, or the user's crontab.
  ///
  /// - Throws: `FileError` if the lock of the watch cannot be read.
  func promptDeliverer(among units: [UserManager.Unit]) async throws -> PromptDeliverer {
    switch try HealthCheck.watchState(self) {
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

extension QueuedPrompt {
  func requestTarget(on server: PairedServer) -> AskRequest.Target {
    let session = session.map { id in
      ServerSession(
        server: server,
        id: id,
        workspaceID: target.workspaceID,
        workspaceName: target.workspaceName
      )
    }
    // A launch is looked up by its key, also if its session is known.
    if let session, !isLaunched {
      return target.sessionID == nil ? .emptySession(session) : .session(session)
    }
    let id = target.workspaceID ?? ""
    return .newSession(
      ServerWorkspace(
        server: server,
        workspace: Workspace(id: id, name: target.workspaceName ?? id)
      )
    )
  }
}

extension QueuedPrompt {
  fileprivate var isLaunched: Bool {
    if case .launched = state { true } else { false }
  }
}

// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// A session that a chat opens in its own place.
enum ChatOpening: Sendable, Equatable {
  /// A new one in the same workspace.
  case new
  case session(named: String)
}

/// An opened session.
struct ChatDestination: Sendable {
  var session: ServerSession
  /// How it was created for the chat, and what was last used before; `nil` if it existed.
  var created: (with: ChatSettings, after: LastUsed?)?
}

extension ChatState {
  /// The most sessions that are listed at once for a listener.
  private static let listedSessions = 20

  /// Opens another session when nothing of this one is unconfirmed.
  mutating func openSession(_ opening: ChatOpening) -> [ChatEffect] {
    guard canOpen else { return [.say("not here: the console opens sessions in its tab Work")] }
    guard !isUnsettled, !isOpening else {
      return [.say("the chat waits for a confirmation; try again afterwards")]
    }
    isOpening = true
    return [.open(opening), .say("opening the session…")]
  }

  /// Opens the session that matches, or asks for one.
  mutating func openSession(matching name: String, by command: ChatCommand) -> [ChatEffect] {
    guard !name.isEmpty else { return [.choose(command)] + lists.askForSessions() }
    let found = sessions(for: command, matching: name)
    if found.count == 1 { return openSession(.session(named: found[0].id)) }
    // It may be the id of a session that is not listed.
    guard found.isEmpty, command == .resume, !name.contains(" ") else {
      return [.say("\(found.count.counted("session")) match '\(name.safeLine(limit: 60))'")]
    }
    return openSession(.session(named: name))
  }

  /// Takes the opened session, for which the chat is left.
  mutating func take(_ opened: Result<ChatDestination, OppiError>, at now: Duration) -> [ChatEffect]
  {
    isOpening = false
    switch opened {
    case .success(let destination):
      next = destination
      return leave(at: now)
    case .failure(let error): return [.print([StyledText("failed: \(error.message)", .error)])]
    }
  }

  /// The sessions that a command opens and that contain all words of a text, the latest first.
  func sessions(for command: ChatCommand, matching text: String) -> [Session] {
    let words = text.lowercased().split(separator: " ")
    return lists.sessions.filter { listed in
      guard listed.id != session?.id,
        command == .resume || listed.parentSessionID == session?.id
      else { return false }
      let key = "\(listed.goal ?? "") \(listed.workspaceName ?? "") \(listed.id)".lowercased()
      return words.allSatisfy { key.contains($0) }
    }
  }

  func candidate(of session: Session) -> CompletionMenu.Candidate {
    let age = moment().map { RelativeTime.ago(session.lastActivity, at: $0) }
    return CompletionMenu.Candidate(
      session.id,
      name: session.goal?.safeLine(limit: 40) ?? session.id,
      summary: [session.workspaceName, age].compactMap(\.self).joined(separator: ", ")
    )
  }

  /// The sessions that a command opens, for a listener.
  func lines(ofSessionsFor command: ChatCommand) -> [StyledText] {
    let found = sessions(for: command, matching: "")
    let rows = found.prefix(Self.listedSessions).map { session in
      let candidate = candidate(of: session)
      return StyledText(
        "/\(command.rawValue) \(session.id): \(candidate.name), \(candidate.summary)"
      )
    }
    return rows.isEmpty ? [StyledText("no sessions")] : rows
  }
}

extension Chat {
  private static let openingLimit = Duration.seconds(20)

  /// Creates or finds the session that a chat opens.
  static func open(
    _ opening: ChatOpening,
    from chat: ChatSession,
    _ settings: ConfigFile.Settings,
    _ context: Context
  ) async -> Result<ChatDestination, OppiError> {
    do {
      switch opening {
      case .session(let name):
        let fleet = context.services.fleet(of: try context.servers(), within: openingLimit)
        let found = try await SessionResolver(fleet, in: context.services).resolve(name)
        return .success(ChatDestination(session: found))
      case .new:
        let place = try await chat.located()
        guard let id = place.workspaceID,
          let workspace = WorkspaceReference(serverID: place.server.id, workspaceID: id)
        else { throw OppiError(.noInput, "the session has no workspace") }
        let chatSettings = try ChatSettings(try await context.settings(settings, in: workspace))
        let lastUsed = try? context.history.lastUsed()
        let session = try await context.openNewSession().open(in: workspace, chatSettings)
        return .success(ChatDestination(session: session, created: (chatSettings, lastUsed)))
      }
    } catch {
      return .failure(OppiError(error))
    }
  }
}

// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiText
import OppiTurns
import OppiWire

/// What a key opens for a session.
enum WorkAction: TabAction {
  /// Show the last turns of a session, which may only be known as a search found it.
  case read(ListedSession.ID, ListedSession?, turns: Int)
  case reply(ListedSession.ID, ListedSession?)
}

enum WorkEffect: TabEffect {
  case read(ListedSession.ID, turns: Int)
  case stop(ListedSession.ID)
  /// Search all conversations.
  case search(String)

  var isChange: Bool { changesTurns }

  var changesTurns: Bool {
    switch self {
    case .stop: true
    case .read, .search: false
    }
  }

  func perform(in console: ConsoleLoop) async {
    switch self {
    case .read(let id, let count): await console.read(count, of: id)
    case .stop(let id): await console.stop(id)
    case .search(let text):
      if let found = try? await console.feed.search(text) { console.report(.work(found)) }
    }
  }
}

enum WorkNews: TabNews {
  /// The last turns of a session, of which so many were wanted.
  case conversation(ListedSession.ID, turns: Int, Result<[Turn], FleetView.Failure>)
  /// The sessions that contain the searched text, and the servers that did not search.
  case found(String, [ListedSession], silent: [String])
}

extension ConsoleAction {
  static func work(_ action: WorkAction) -> ConsoleAction { .own(action) }
}

extension ConsoleEffect {
  static func work(_ effect: WorkEffect) -> ConsoleEffect { .own(effect) }
}

extension ConsoleNews {
  static func work(_ news: WorkNews) -> ConsoleNews { .own(news) }
}

extension ConsoleLoop {
  /// Reads the last turns of a session; starts no agent.
  fileprivate func read(_ count: Int, of id: ListedSession.ID) async {
    do {
      let (session, api) = try await context.services.located(id)
      let reading = ReadConversation(api: api)
      let conversation = try await reading.read(session)
      let turns = try await reading.turns(count, of: conversation.transcript)
      report(.work(.conversation(id, turns: count, .success(turns))))
    } catch {
      let message = OppiError(error).message.safeLine(limit: 200)
      report(.work(.conversation(id, turns: count, .failure(.init(message: message)))))
    }
  }

  fileprivate func stop(_ id: ListedSession.ID) async {
    do {
      let (session, api) = try await context.services.opened(id)
      let stop = StopTurn(api: api, timeout: context.services.timeout)
      let outcome = try await stop.stopTurn(of: session)
      if case .failed(let reason) = outcome {
        report(.note("not stopped: \(reason.safeLine(limit: 200))"))
      } else {
        report(.note(Stop.words(for: outcome, id.sessionID)))
      }
    } catch {
      report(.note("not stopped: \(OppiError(error).message)"))
    }
  }
}

extension Services {
  func opened(
    _ id: SessionID
  ) async throws -> (session: ServerSession, api: IntentAPIClient) {
    let session = ServerSession(server: try server(id.serverID), id: id.sessionID)
    return (session, try await connections.client(for: session.server))
  }

  /// A session on its paired server, with its workspace.
  func located(
    _ id: SessionID
  ) async throws -> (session: ServerSession, api: IntentAPIClient) {
    let (session, api) = try await opened(id)
    return (try await api.located(session), api)
  }
}

// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiPrompts
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// What a key opens for a session.
enum WorkAction: TabAction {
  /// Show the last turns of a session, which may only be known as a search found it.
  case read(ListedSession.ID, ListedSession?, turns: Int)
  case reply(ListedSession.ID, ListedSession?)
  /// Send the prompt of the failed turn again.
  case retry(ListedSession.ID, ListedSession?)
  /// Send the prompts of the failed turns among the marked sessions again; the texts tell what else
  /// is marked.
  case retryAll([ListedSession], besides: [String])
  case rename(ListedSession.ID, ListedSession?)
  /// Show the past decisions.
  case log(ListedSession.ID)
}

enum WorkEffect: TabEffect {
  case read(ListedSession.ID, turns: Int)
  case readLog(ListedSession.ID)
  /// List the workspaces for a new session.
  case listWorkspaces
  case stop(ListedSession.ID)
  case rename(ListedSession.ID, to: String)
  case delete([ListedSession.ID])
  case launch(NewPrompt.Order)
  /// Search all conversations.
  case search(String)

  var isChange: Bool { changesTurns }

  var changesTurns: Bool {
    switch self {
    case .stop, .rename, .delete, .launch: true
    case .read, .readLog, .listWorkspaces, .search: false
    }
  }

  func perform(in console: ConsoleLoop) async {
    switch self {
    case .read(let id, let count): await console.read(count, of: id)
    case .readLog(let id): await console.readLog(of: id)
    case .listWorkspaces: await console.listWorkspaces()
    case .stop(let id): await console.stop(id)
    case .rename(let id, let title): await console.rename(id, to: title)
    case .delete(let ids): await console.delete(ids)
    case .launch(let order): await console.launch(order)
    case .search(let text):
      if let found = try? await console.feed.search(text) { console.report(.work(found)) }
    }
  }
}

enum WorkNews: TabNews {
  /// The last turns of a session, of which so many were wanted.
  case conversation(ListedSession.ID, turns: Int, Result<[Turn], FleetView.Failure>)
  /// The past decisions in a session, one in each line.
  case log(ListedSession.ID, Result<[StyledText], FleetView.Failure>)
  /// The workspaces of all servers, the last used one first.
  case workspaces([ServerWorkspace])
  /// A prompt that did not get a new session; it is kept for the next one.
  case notLaunched(NewPrompt.Order)
  /// The sessions that contain the searched text, and the servers that did not search.
  case found(String, [SessionHit], silent: [String])
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
        report(.failed("not stopped: \(reason.safeLine(limit: 200))"))
      } else {
        report(.note(Stop.words(for: outcome, id.sessionID)))
      }
    } catch {
      report(.failed("not stopped: \(OppiError(error).message)"))
    }
  }
}

/// Changes of sessions.
extension ConsoleLoop {
  private static let renameLimit = Duration.seconds(5)
  private static let logLimit = 100

  fileprivate func readLog(of id: ListedSession.ID) async {
    do {
      let lines = try await ApprovalsLog.lines(of: id, in: context.services, limit: Self.logLimit)
      report(.work(.log(id, .success(lines))))
    } catch {
      let message = OppiError(error).message.safeLine(limit: 200)
      report(.work(.log(id, .failure(.init(message: message)))))
    }
  }

  /// Reports the workspaces that are known, so that no server must be waited for, and queries all
  /// servers for the next time; without any that is known, reports the answers.
  fileprivate func listWorkspaces() async {
    let query = context.services.workspaceQuery
    let known = await query.cachedListings(of: servers)
    if !known.isEmpty { report(known) }
    let listings = await query.listings(of: servers, limit: context.services.answerLimit)
    if known.isEmpty { report(listings) }
  }

  private func report(_ listings: [WorkspaceListing]) {
    let last = try? context.services.history.lastUsed()?.workspace
    let all = listings.flatMap(\.serverWorkspaces)
    let used = all.filter { last != nil && $0.reference == last }
    report(.work(.workspaces(used + all.filter { last == nil || $0.reference != last })))
  }

  /// Renames a session over its stream.
  fileprivate func rename(_ id: ListedSession.ID, to title: String) async {
    do {
      let (session, api) = try await context.services.located(id)
      let calls = api.within(Self.renameLimit)
      let stream = try await calls.openStream(of: session)
      let end = context.loop.now + Self.renameLimit
      do throws(OppiError) {
        let renaming = IntentWebSocket.Request(.setSessionName(title), id: context.loop.newID())
        try await stream.send([renaming], to: session.id, until: end)
        report(.note("renamed: \(title.safeLine(limit: 60))"))
      } catch {
        reportFailure("not renamed", error)
      }
      await stream.close()
    } catch {
      report(.failed("not renamed: \(OppiError(error).message)"))
    }
  }

  /// Deletes those sessions in which nothing runs and nothing waits.
  fileprivate func delete(_ ids: [ListedSession.ID]) async {
    let deletion = DeleteSessions(
      context: context.services,
      fleet: context.services.fleet(of: servers.filter { ids.map(\.serverID).contains($0.id) }),
      choice: .named(ids)
    )
    do {
      var (all, failures) = try await deletion.candidates()
      try await deletion.delete(&all)
      let deleted = all.count { if case .deleted? = $0.outcome { true } else { false } }
      let error = failures.errors.first.map { "; \($0.message)" } ?? ""
      report(.note("deleted \(deleted) of \(ids.count.counted("session"))\(error)"))
    } catch {
      reportFailure("not deleted", error)
    }
  }

  /// Sends a prompt to a new session.
  fileprivate func launch(_ order: NewPrompt.Order) async {
    var prompt = Prompt(order.text, clientTurnID: context.loop.newID())
    prompt.model = order.model
    do {
      let request = AskRequest(prompt, to: .newSession(order.workspace))
      let outcome = try await context.services.deliver(request).outcome
      let place = order.workspace.server.qualified(outcome.sessionID)
      report(.note("sent to the new session \(place)"))
    } catch {
      let message = OppiError(error).message
      if case .unknown = error.delivery {
        report(.unconfirmed("\(message); check Work before you send it again"))
      } else {
        report(.work(.notLaunched(order)))
        report(.failed("not sent; n has the prompt: \(message)"))
      }
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

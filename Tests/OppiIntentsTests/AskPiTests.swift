// SPDX-License-Identifier: MIT

import EventLoop
import LoopbackServer
import OppiIntents
import OppiModel
import OppiTransport
import Synchronization
import TestSupport
import Testing

@Suite struct AskPiTests {
  /// A loop, a server on a thread of its own, and a client of it.
  private struct Setting {
    let server: RunningServer
    let loop: EventLoop
    let paired: PairedServer

    init(
      dialect: PairedServer.Dialect = .multiplexed,
      known: PairedServer.Dialect? = nil,
      _ change: (inout LoopbackServer.Configuration) -> Void = { _ in }
    ) throws {
      var configuration = LoopbackServer.Configuration()
      configuration.dialect = dialect
      change(&configuration)
      server = try LoopbackServer.start(configuration)
      loop = try EventLoop()
      paired = PairedServer(
        id: server.fingerprint,
        name: "loopback",
        endpoint: try #require(Endpoint(scheme: .http, host: "127.0.0.1", port: server.port)),
        dialect: known
      )
    }

    var workspace: ServerWorkspace {
      ServerWorkspace(server: paired, workspace: server.configuration.workspaces[0])
    }

    private var api: IntentAPIClient {
      IntentAPIClient(
        network: Network(loop: loop, environment: [:]),
        destination: Network.Destination(endpoint: paired.endpoint),
        serverName: paired.name,
        token: server.ownerToken
      )
    }

    /// Waits for the end of a turn, whose last words would count as a trace of the next prompt.
    func rest(_ id: String) throws {
      let (api, place) = (api, server.configuration.workspaces[0].id)
      try loop.runInTime {
        while try await api.session(id, workspaceID: place, until: .farOff).session.status != .ready
        {}
      }
    }

    /// Asks on the loop; the calling thread is the loop's meanwhile.
    func ask(
      _ target: AskRequest.Target? = nil,
      _ prompt: String = "hi",
      thinking: ThinkingLevel? = nil,
      limits: AskLimits = AskLimits()
    ) -> Result<AskOutcome, AskFailure> {
      var content = Prompt(prompt)
      content.thinking = thinking
      let request = AskRequest(
        content,
        to: target ?? .newSession(workspace),
        clientTurnID: "turn-\(prompt)"
      )
      let flow = AskPi(api: api, models: ModelCatalog(), limits: limits)
      do {
        return try loop.runInTime {
          do throws(AskFailure) {
            return .success(try await flow.perform(request).outcome)
          } catch {
            return .failure(error)
          }
        }
      } catch {
        Issue.record(error)
        return .failure(
          AskFailure(
            delivery: .notSent,
            cause: nil,
            server: paired.name,
            clientTurnID: request.clientTurnID
          )
        )
      }
    }

    var prompts: [Journal.Message] {
      server.journal.messages.filter { ["prompt", "follow_up"].contains($0.type) }
    }
  }

  @Test(
    "the dialect is learned from the answer to the upgrade and then not asked for again",
    arguments: [PairedServer.Dialect.multiplexed, .perSession]
  )
  func learnsDialect(dialect: PairedServer.Dialect) throws {
    let unknown = try Setting(dialect: dialect)
    #expect(try unknown.ask().get().dialect == dialect)
    let known = try Setting(dialect: dialect, known: dialect)
    #expect(try known.ask().get().dialect == dialect)
    #expect(known.server.journal.connections == 2)
    #expect(unknown.server.journal.connections == (dialect == .multiplexed ? 2 : 3))
  }

  @Test("a server that was upgraded, or put back, is found out and relearned")
  func relearnsDialect() throws {
    #expect(
      try Setting(dialect: .multiplexed, known: .perSession).ask().get().dialect == .multiplexed
    )
    #expect(
      try Setting(dialect: .perSession, known: .multiplexed).ask().get().dialect == .perSession
    )
  }

  @Test("a new session costs two connections, opened together, and one write of messages")
  func fewRoundTrips() throws {
    let setting = try Setting(known: .multiplexed)
    let outcome = try setting.ask().get()
    #expect(outcome.state == .started)
    #expect(setting.server.journal.connections == 2)
    #expect(setting.server.journal.messages.map(\.type) == ["subscribe", "prompt"])
  }

  @Test("a prompt that the agent refuses is a failure with the agent's words")
  func agentRefuses() throws {
    let setting = try Setting()
    guard case .failure(let failure) = setting.ask(nil, "refuse") else {
      Issue.record("not refused")
      return
    }
    guard case .refused(.agentRefused(let message)) = failure.delivery else {
      Issue.record("\(failure)")
      return
    }
    #expect(!message.isEmpty)
    // The session that was made for it is gone again.
    #expect(failure.sessionID == nil)
  }

  @Test("an acknowledgement that is lost is fetched under the same id, and the turn runs once")
  func resends() throws {
    let once = Once()
    let setting = try Setting { configuration in
      configuration.interceptor = { step in
        guard case .message(let json, _) = step, json["type"] == "prompt", once.isFirst() else {
          return .proceed
        }
        return .performThenDrop
      }
    }
    let outcome = try setting.ask().get()
    #expect(outcome.state == .accepted || outcome.state == .started)
    #expect(Set(setting.prompts.map { $0.json["clientTurnId"].string }).count == 1)
    #expect(setting.prompts.count <= 2)
  }

  @Test("a prompt that was lost with its connection is sent again and runs")
  func sendsAgain() throws {
    let once = Once()
    let setting = try Setting { configuration in
      configuration.interceptor = { step in
        guard case .message(let json, _) = step, json["type"] == "prompt", once.isFirst() else {
          return .proceed
        }
        return .drop
      }
    }
    let outcome = try setting.ask().get()
    #expect(outcome.state == .started)
    #expect(setting.prompts.count == 2)
    #expect(Set(setting.prompts.map { $0.json["clientTurnId"].string }).count == 1)
  }

  @Test("silence is an unknown delivery, and nothing is sent again")
  func silence() throws {
    let setting = try Setting { configuration in
      configuration.interceptor = { step in
        if case .message(let json, _) = step, json["type"] == "prompt" { .ignore } else { .proceed }
      }
    }
    var limits = AskLimits()
    limits.delivery.total = .milliseconds(300)
    guard case .failure(let failure) = setting.ask(limits: limits) else {
      Issue.record("not a failure")
      return
    }
    guard case .unknown(.silence) = failure.delivery else {
      Issue.record("\(failure)")
      return
    }
    #expect(setting.prompts.count == 1)
  }

  @Test("an old session whose agent is still loaded gets a lost prompt again")
  func loadedSession() throws {
    let once = Once()
    let setting = try Setting { configuration in
      configuration.interceptor = { step in
        guard case .message(let json, _) = step, json["message"] == "second" else {
          return .proceed
        }
        return once.isFirst() ? .drop : .proceed
      }
    }
    let first = try setting.ask(nil, "first").get()
    try setting.rest(first.sessionID)
    let session = ServerSession(server: setting.paired, id: first.sessionID)
    #expect(try setting.ask(.session(session), "second").get().sessionID == first.sessionID)
    #expect(setting.prompts.map { $0.json["message"] } == ["first", "second", "second"])
  }

  @Test("an old session whose agent was started anew remembers no ids and gets nothing twice")
  func restartedSession() throws {
    let setting = try Setting { configuration in
      configuration.interceptor = { step in
        switch step {
        case .message(let json, _) where json["message"] == "second": .drop
        // The counter that a newly started agent reports.
        case .message(let json, let connection) where json["type"] == "subscribe" && connection > 3:
          .reply([
            [
              "type": "connected", "currentSeq": 0, "sessionId": json["sessionId"],
              "session": ["id": json["sessionId"], "status": "ready"],
            ]
          ])
        default: .proceed
        }
      }
    }
    let first = try setting.ask(nil, "first").get()
    let session = ServerSession(server: setting.paired, id: first.sessionID)
    guard case .failure(let failure) = setting.ask(.session(session), "second") else {
      Issue.record("not a failure")
      return
    }
    #expect(failure.delivery == .unknown(.agentGone))
    #expect(failure.sessionID == first.sessionID)
    #expect(setting.prompts.map { $0.json["message"] } == ["first", "second"])
  }

  private final class Once: Sendable {
    private let isOver = Mutex(false)

    func isFirst() -> Bool {
      isOver.withLock { isOver in
        defer { isOver = true }
        return !isOver
      }
    }
  }
}

// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiTransport
import Synchronization
import TestSupport
import Testing

@testable import Oppi

@Suite struct DeliveryRunTests {
  /// An event loop, a loopback server on its own thread, and a client for it.
  private struct Setting {
    let server: RunningServer
    let loop: EventLoop
    let paired: PairedServer

    init(
      dialect: Dialect = .multiplexed,
      known: Dialect? = nil,
      _ change: (inout FakeServer.Configuration) -> Void = { _ in }
    ) throws {
      var configuration = FakeServer.Configuration()
      configuration.dialect = dialect
      change(&configuration)
      server = try FakeServer.start(configuration)
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
        access: FixedAccess(token: server.ownerToken)
      )
    }

    /// Waits until the session is ready: late events of its turn would count as signs of the next
    /// prompt.
    func rest(_ id: String) throws {
      let (api, place) = (api, server.configuration.workspaces[0].id)
      try loop.runInTime {
        while try await api.until(.farOff).session(id, workspaceID: place).session.status != .ready
        {}
      }
    }

    /// Sends a prompt; the calling thread runs the loop until the flow ends.
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
      do {
        return try loop.runInTime {
          do throws(AskFailure) {
            var run = DeliveryRun(of: request, over: api, models: ModelCatalog(), limits: limits)
            return .success(try await run.perform().outcome)
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
            clientTurnID: request.prompt.clientTurnID
          )
        )
      }
    }

    var prompts: [Journal.Message] {
      server.journal.messages.filter { ["prompt", "follow_up"].contains($0.type) }
    }
  }

  @Test(
    "the dialect is detected from the upgrade response; a known dialect is not probed again",
    arguments: [Dialect.multiplexed, .perSession]
  )
  func learnsDialect(dialect: Dialect) throws {
    let unknown = try Setting(dialect: dialect)
    #expect(try unknown.ask().get().stream == dialect.stream)
    let known = try Setting(dialect: dialect, known: dialect)
    #expect(try known.ask().get().stream == dialect.stream)
    #expect(known.server.journal.connections == 2)
    #expect(unknown.server.journal.connections == (dialect == .multiplexed ? 2 : 3))
  }

  @Test("a known dialect that does not match the server is detected and replaced")
  func relearnsDialect() throws {
    #expect(
      try Setting(dialect: .multiplexed, known: .perSession).ask().get().stream == .multiplexed
    )
    #expect(
      try Setting(dialect: .perSession, known: .multiplexed).ask().get().stream == .perSession
    )
  }

  @Test("a prompt to a new session takes two connections and two messages")
  func fewRoundTrips() throws {
    let setting = try Setting(known: .multiplexed)
    let outcome = try setting.ask().get()
    #expect(outcome.state == .started)
    #expect(setting.server.journal.connections == 2)
    #expect(setting.server.journal.messages.map(\.type) == ["subscribe", "prompt"])
  }

  @Test("a prompt that the agent refuses fails with the agent's message")
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
    // The session created for the prompt was deleted.
    #expect(failure.sessionID == nil)
  }

  @Test("a retry after a lost acknowledgement uses the same turn id")
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

  @Test("a prompt that is lost with its connection is sent again with the same turn id")
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

  @Test("without a response the delivery is unknown, and the prompt is not sent again")
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

  @Test("a lost prompt is sent again to an existing session whose agent is still loaded")
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

  @Test("a lost prompt is not sent again to an existing session whose agent has restarted")
  func restartedSession() throws {
    let setting = try Setting { configuration in
      configuration.interceptor = { step in
        switch step {
        case .message(let json, _) where json["message"] == "second": .drop
        // A restarted agent reports the counter 0.
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

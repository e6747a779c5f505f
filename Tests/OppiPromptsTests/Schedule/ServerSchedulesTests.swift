// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiPrompts
@testable import OppiTestSupport

/// Schedules that a server runs itself, answered by the test.
@Suite struct ServerSchedulesTests {
  /// The schedules of a server, and the runs that were requested.
  private final class Desk: Sendable {
    private struct State {
      var requestIDs: [String] = []
      var answer: (@Sendable (Int) -> Intervention)?
    }

    private let state = Mutex(State())

    var requestIDs: [String] { state.withLock(\.requestIDs) }

    /// Sets the answer to the requests for a run, by their number.
    func answer(_ answer: @escaping @Sendable (Int) -> Intervention) {
      state.withLock { $0.answer = answer }
    }

    var interceptor: Interceptor {
      { [self] step in
        guard case .request(let request, _) = step, request.target.hasPrefix("/schedules") else {
          return .proceed
        }
        guard request.method == "POST" else { return .answer(json: ["schedules": Self.schedules]) }
        let body = try? JSONValue(parsing: request.body)
        return state.withLock { state in
          state.requestIDs.append(body?["requestId"].string ?? "")
          return state.answer?(state.requestIDs.count) ?? Self.run("completed")
        }
      }
    }

    static func run(_ status: JSONValue, error: JSONValue? = nil) -> Intervention {
      .answer(
        json: [
          "run": .object([
            "id": "run_1", "scheduleId": "sch_1", "status": status, "sessionId": "S1",
            "error": error,
          ])
        ]
      )
    }

    private static let schedules: JSONValue = [
      [
        "id": "sch_1", "name": "nightly", "status": "active", "createdAt": 0,
        "trigger": ["type": "every", "intervalMs": 86_400_000, "timeZone": "UTC"],
        "action": ["type": "new_session", "workspaceId": "qX3dEmo0", "promptChars": 5],
      ],
      [
        "id": "sch_2", "name": "twice", "status": "paused", "createdAt": 0,
        "trigger": ["type": "at", "at": 1, "timeZone": "UTC"],
        "action": ["type": "existing_session", "workspaceId": "w", "sessionId": "S9"],
      ],
      ["id": "sch_3", "name": "twice", "status": "active", "trigger": ["type": "moon"]],
      ["id": "sch_4", "name": "gone", "status": "archived", "trigger": ["type": "at", "at": 1]],
    ]
  }

  private func withDesk(
    _ body: @escaping @Sendable (World, VirtualServer, Desk) async throws -> Void
  ) {
    let desk = Desk()
    inWorld(.sessionSockets, where: \.interceptor, is: desk.interceptor) { world, server in
      try await body(world, server, desk)
    }
  }

  @Test("--all lists the schedules of servers; a next run is shown only if it is certain")
  func list() {
    withDesk { world, server, desk in
      let outcome = await world.oppi("schedule", "list", "--all", "--json", exits: 0)
      let rows = outcome.json["serverSchedules"].array ?? []
      #expect(rows.map(\.["id"]) == ["sch_1", "sch_2", "sch_3"], "\(outcome)")
      #expect(rows.map(\.["state"]) == ["active", "paused", "active"], "\(outcome)")
      #expect(rows.map { $0["next"].array?.count } == [1, 0, 0], "\(outcome)")
      #expect(rows.map(\.["nextUnknown"]) == [false, false, true], "\(outcome)")
      #expect(rows[1]["sessionId"] == "S9" && rows[0]["server"]["name"] == "studio")
      let pipe = await world.oppi("schedule", "list", "--all")
      let cells = pipe.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
      #expect(cells.map(\.first) == ["studio/nightly", "studio/twice", "studio/twice"], "\(pipe)")
      #expect(cells.allSatisfy { $0.count == 9 }, "\(pipe)")
    }
  }

  @Test("without --all no server is queried")
  func own() {
    withDesk { world, server, desk in
      let outcome = await world.oppi("schedule", "list", "--json")
      #expect(outcome.json["serverSchedules"] == [] && server.requests.isEmpty, "\(outcome)")
    }
  }

  @Test("the name of a server ends at the first slash; that of its schedule may have others")
  func references() throws {
    let reference = try ScheduleReference(argument: "studio/a/b")
    #expect(reference == .server("studio", schedule: "a/b"))
    for text in ["/nightly", "studio/", "/"] {
      #expect(throws: (any Error).self) { try ScheduleReference(argument: text) }
    }
  }

  @Test("a schedule is run by its name or its id, and its session printed")
  func run() {
    withDesk { world, server, desk in
      for name in ["studio/nightly", "studio/sch_1"] {
        await world.oppi("schedule", "run", name, exits: 0) { $0.output == "studio/S1\n" }
      }
      #expect(Set(desk.requestIDs).count == 2 && desk.requestIDs.count == 2)
      #expect(!world.disk.paths.contains { $0.contains("schedule-requests/") })
      let json = await world.oppi("schedule", "run", "--json", "studio/sch_1")
      #expect(json.json["state"] == "accepted" && json.json["repeated"] == false, "\(json)")
    }
  }

  @Test("after a lost answer, the request is repeated with the same id")
  func lost() {
    withDesk { world, server, desk in
      desk.answer { $0 == 1 ? .performThenDrop : Desk.run("completed") }
      await world.oppi("schedule", "run", "studio/nightly", exits: 0)
      #expect(desk.requestIDs.count == 2 && Set(desk.requestIDs).count == 1)
    }
  }

  @Test("an unknown run has status 6; the next command has the same id and finds it")
  func unknown() {
    withDesk { world, server, desk in
      desk.answer { _ in .drop }
      await world.oppi("schedule", "run", "studio/nightly", exits: 6)
      #expect(Set(desk.requestIDs).count == 1)
      desk.answer { _ in Desk.run("completed") }
      let again = await world.oppi("schedule", "run", "--json", "studio/nightly")
      #expect(again.status == 0 && again.json["repeated"] == true, "\(again)")
      #expect(Set(desk.requestIDs).count == 1)
      let other = await world.oppi("schedule", "run", "--json", "studio/nightly")
      #expect(other.json["repeated"] == false, "\(other)")
      #expect(Set(desk.requestIDs).count == 2)
    }
  }

  @Test("a run that is being handed over is awaited")
  func running() {
    withDesk { world, server, desk in
      desk.answer { Desk.run($0 < 4 ? "running" : "completed") }
      await world.oppi("schedule", "run", "studio/nightly", exits: 0)
      #expect(desk.requestIDs.count == 4 && Set(desk.requestIDs).count == 1)
    }
  }

  @Test("a refused or failed run has status 1 with the server's reason, and its id is not kept")
  func failed() {
    withDesk { world, server, desk in
      desk.answer {
        $0 == 1
          ? .answer(status: 400, error: "Workspace not found")
          : Desk.run("failed", error: "Workspace not found")
      }
      for _ in 1...2 {
        let outcome = await world.oppi("schedule", "run", "studio/nightly", exits: 1)
        #expect(outcome.errors.contains("Workspace not found"), "\(outcome)")
      }
      #expect(Set(desk.requestIDs).count == 2)
    }
  }

  @Test("a server that fails may have started the run, and the next command has the same id")
  func failing() {
    withDesk { world, server, desk in
      desk.answer { _ in .answer(status: 500, error: "Internal error") }
      await world.oppi("schedule", "run", "studio/nightly", exits: 6)
      desk.answer { _ in Desk.run("completed") }
      let again = await world.oppi("schedule", "run", "--json", "studio/nightly", exits: 0)
      #expect(again.json["repeated"] == true, "\(again)")
      #expect(Set(desk.requestIDs).count == 1)
    }
  }

  @Test("a repeat that the server puts off keeps the id of the first request")
  func putOff() {
    withDesk { world, server, desk in
      desk.answer { _ in .drop }
      await world.oppi("schedule", "run", "studio/nightly", exits: 6)
      desk.answer { _ in .answer(status: 429, error: "Too many requests") }
      await world.oppi("schedule", "run", "studio/nightly") { $0.status != 0 }
      desk.answer { _ in Desk.run("completed") }
      let again = await world.oppi("schedule", "run", "--json", "studio/nightly", exits: 0)
      #expect(again.json["repeated"] == true, "\(again)")
      #expect(Set(desk.requestIDs).count == 1)
    }
  }

  @Test("nothing is kept of a request that was not sent")
  func away() {
    withDesk { world, server, desk in
      desk.answer { _ in .answer(status: 401, error: "Unauthorized") }
      await world.oppi("schedule", "run", "studio/nightly", exits: 77)
      #expect(!world.disk.paths.contains { $0.contains("schedule-requests/") })
    }
  }

  @Test("an ambiguous, unknown or archived name is an error, and nothing is sent")
  func names() {
    withDesk { world, server, desk in
      await world.oppi("schedule", "run", "studio/twice", exits: 64, saying: "sch_2, sch_3")
      for name in ["studio/none", "studio/gone"] {
        await world.oppi("schedule", "run", name, exits: 66)
      }
      await world.oppi("schedule", "run", "attic/x", exits: 66)
      await world.oppi("schedule", "run", "studio/", exits: 64)
      #expect(desk.requestIDs == [])
    }
  }

  @Test("servers without schedules say so", arguments: Dialect.both)
  func older(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let list = await world.oppi("schedule", "list", "--all", "--json")
      #expect(list.status == 0 && list.json["serverSchedules"] == [], "\(list)")
      let run = await world.oppi("schedule", "run", "studio/nightly")
      #expect(run.status == 66 && run.errors.contains("does not run schedules"), "\(run)")
    }
  }
}

// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Schedules of the server")
struct ServerScheduleTests {
  private static func configure(_ configuration: inout FakeServer.Configuration) {
    let workspace = configuration.workspaces[0].id
    var nightly = ServerSchedule(
      id: "sChed001",
      name: "nightly build",
      trigger: .cron("0 3 * * *"),
      workspaceID: workspace,
      prompt: "empty"
    )
    nightly.timeZone = "Europe/Berlin"
    var twins = [nightly, nightly]
    for (index, id) in ["sChed002", "sChed003"].enumerated() {
      twins[index].id = id
      twins[index].name = "twin"
      twins[index].status = .paused
      twins[index].trigger = .every(.seconds(60))
      twins[index].prompt = "refuse"
    }
    configuration.schedules = [nightly] + twins
  }

  @Test("a run starts once for each request")
  func run() throws {
    try TestClient.runSockets(.sockets(Self.configure)) { client in
      let path = "/schedules/sChed001/run"
      #expect(
        try await client.call("POST", path, body: [:], expecting: 400)
          == ["error": "requestId is required"]
      )
      let body: JSONValue = ["requestId": "r1"]
      let run = try await client.call("POST", path, body: body, expecting: 201)["run"]
      #expect(run["status"] == "completed")
      #expect(run["kind"] == "manual")
      #expect(run["promptDispatch"] == "delivered")
      #expect(run["sessionId"].string != nil)
      #expect(try await client.call("POST", path, body: body)["run"] == run)
      try await client.call("POST", path, body: ["requestId": "r2"], expecting: 201)
      let runs = try await client.call("GET", "/schedules/sChed001/runs?limit=1")["runs"]
      #expect(runs == [run])
      try await client.wait { $0.runs.count == 2 }
    }
  }

  @Test("a refused prompt fails the run")
  func refused() throws {
    try TestClient.runSockets(.sockets(Self.configure)) { client in
      let run = try await client.call(
        "POST",
        "/schedules/sChed002/run",
        body: ["requestId": "r1"],
        expecting: 201
      )["run"]
      #expect(run["status"] == "failed")
      #expect(run["promptDispatch"] == "not_sent")
      #expect(run["error"].string?.hasPrefix("No API key") == true)
    }
  }
}

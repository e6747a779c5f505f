// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import OppiWire
import Testing

@Suite("Schedules of the server")
struct ServerScheduleTests {
  /// A server with schedules of these prompts, whose IDs count from 0.
  private static func configuration(_ prompts: String...) -> FakeServer.Configuration {
    .sockets { configuration in
      configuration.schedules = prompts.enumerated().map { index, prompt in
        ServerSchedule(
          id: "sChed00\(index)",
          name: "nightly \(prompt)",
          trigger: .cron("0 3 * * *"),
          workspaceID: configuration.workspaces[0].id,
          prompt: prompt
        )
      }
    }
  }

  @Test("a run starts once for each request")
  func run() throws {
    try TestClient.run(Self.configuration("empty")) { client in
      let path = "/schedules/sChed000/run"
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
      let runs = try await client.call("GET", "/schedules/sChed000/runs?limit=1")["runs"]
      #expect(runs == [run])
      try await client.wait { $0.runs.count == 2 }
    }
  }

  @Test("a refused prompt fails the run")
  func refused() throws {
    try TestClient.run(Self.configuration("refuse")) { client in
      let path = "/schedules/sChed000/run"
      let run = try await client.call(
        "POST",
        path,
        body: ["requestId": "r1"],
        expecting: 201
      )["run"]
      #expect(run["status"] == "failed")
      #expect(run["promptDispatch"] == "not_sent")
      #expect(run["error"].string?.hasPrefix("No API key") == true)
    }
  }
}

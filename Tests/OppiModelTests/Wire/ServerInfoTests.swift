// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("ServerInfo")
struct ServerInfoTests {
  @Test("a server reports its version, uptime, upload limits and capabilities")
  func today() throws {
    let info = ServerInfo(
      json: try JSONValue(
        parsing: Array(
          """
          {"name":"vm","version":"0.49.1","uptime":18,
           "uploadProtocol":{"version":1,"maxFileBytes":52428800,"maxTurnBytes":104857600},
           "capabilities":{"sessionStream":{"version":1},"controlSessions":{"version":1},
             "appEventStream":{"version":1},"dictationStream":{"version":1}}}
          """.utf8
        )
      )
    )
    #expect(info.version == "0.49.1")
    #expect(info.uptime == .seconds(18))
    #expect(info.uploadLimits?.file == 50 << 20)
    #expect(info.uploadLimits?.turn == 100 << 20)
    #expect(info.capabilities == [.sessionStream, .controlSessions, .appEventStream])
  }

  @Test(
    "missing and unusable members count as unknown",
    arguments: [[:], ["uptime": "1"], 7] as [JSONValue]
  )
  func lenient(json: JSONValue) {
    let info = ServerInfo(json: json)
    #expect(info.name == "")
    #expect(info.version == nil)
    #expect(info.uptime == nil)
    #expect(info.uploadLimits == nil)
    #expect(info.capabilities == nil)
  }

  @Test(
    "upload limits must be offered and positive",
    arguments: [
      ["version": 0, "maxFileBytes": 1, "maxTurnBytes": 1],
      ["version": 1, "maxFileBytes": 0, "maxTurnBytes": 1],
      ["version": 1, "maxFileBytes": 1], ["maxFileBytes": 1, "maxTurnBytes": 1],
    ] as [JSONValue]
  )
  func uploads(json: JSONValue) {
    #expect(ServerInfo(json: ["uploadProtocol": json]).uploadLimits == nil)
  }

  @Test("a negative uptime counts as zero")
  func uptime() {
    #expect(ServerInfo(json: ["uptime": -5]).uptime == .zero)
  }
}

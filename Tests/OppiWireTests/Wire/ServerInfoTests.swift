// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
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

@Suite struct LanguageModelTests {
  @Test("a recorded model is parsed and written unchanged")
  func recorded() throws {
    let json: JSONValue = [
      "id": "openrouter/z.ai/glm-5", "name": "GLM-5", "provider": "openrouter",
      "contextWindow": 200_000,
    ]
    let model = try #require(LanguageModel(json: json))
    #expect(model.id == "openrouter/z.ai/glm-5" && model.name == "GLM-5")
    #expect(model.provider == "openrouter" && model.contextWindow == 200_000)
    #expect(model.json == json)
  }

  @Test("an id is sufficient")
  func idAlone() throws {
    let model = try #require(LanguageModel(json: ["id": "a/b", "name": 7, "contextWindow": -1]))
    #expect(model.name == "a/b" && model.provider == "a" && model.contextWindow == nil)
  }

  @Test("a model with an invalid id is rejected", arguments: ["", "a\u{1B}[2J", "a\nb"])
  func unnamed(id: String) {
    #expect(LanguageModel(json: ["id": .string(id)]) == nil)
    #expect(LanguageModel(json: [:]) == nil)
  }

  @Test("texts for display are made safe")
  func safe() {
    let model = LanguageModel(json: [
      "id": "a/b", "name": "B\u{1B}[31m\u{202E}", "provider": "x\ny",
    ])
    #expect(model?.name == "B" && model?.provider.contains("\n") == false)
  }
}

@Suite("PairedDevice")
struct PairedDeviceTests {
  @Test("a device is read with its times")
  func reading() throws {
    let device = try #require(
      PairedDevice(json: [
        "id": "dev_1", "name": "studio\u{1B}[31m", "scope": "device", "createdAt": 1000,
        "lastUsedAt": 2000, "revokedAt": 3000, "keyEnrolled": true,
      ])
    )
    #expect(device.name == "studio[31m" || !device.name.contains("\u{1B}"))
    #expect(device.createdAt == Timestamp(milliseconds: 1000))
    #expect(device.lastUsedAt == Timestamp(milliseconds: 2000))
    #expect(device.isRevoked && device.hasKey)
  }

  @Test("missing members are unknown, and a device without a valid id is none")
  func lenient() throws {
    let device = try #require(PairedDevice(json: ["id": "dev_1", "keyEnrolled": false]))
    #expect(device.name == "" && device.lastUsedAt == nil && !device.isRevoked && !device.hasKey)
    #expect(PairedDevice(json: ["id": "a b"]) == nil)
    #expect(PairedDevice(json: 7) == nil)
  }
}

// SPDX-License-Identifier: MIT

import OppiModel
import Testing

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

// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct DevicePublicKeyTests {
  private static let x = [UInt8](1...32)
  private static let y = [UInt8](33...64)

  @Test("a key is read from its JSON and its DER form")
  func roundTrip() throws {
    let key = try #require(DevicePublicKey(x: Self.x, y: Self.y))
    #expect(key.json["kty"] == "EC" && key.json["crv"] == "P-256")
    #expect(key.json["x"].string?.utf8.count == 43)
    #expect(DevicePublicKey(json: key.json) == key)
    #expect(key.der.count == 91)
    #expect(DevicePublicKey(der: key.der) == key)
  }

  @Test(
    "a key of another kind or size is rejected",
    arguments: ["kty", "crv", "x", "y"],
    [JSONValue.null, "RSA", "AAAA", 5]
  )
  func otherKeys(member: String, value: JSONValue) throws {
    var json = try #require(DevicePublicKey(x: Self.x, y: Self.y)?.json.object)
    json[member] = value
    #expect(DevicePublicKey(json: .object(json)) == nil)
  }

  @Test("a DER form with another start or length is rejected")
  func otherDER() throws {
    let der = try #require(DevicePublicKey(x: Self.x, y: Self.y)?.der)
    #expect(DevicePublicKey(der: Array(der.dropLast())) == nil)
    #expect(DevicePublicKey(der: der + [0]) == nil)
    #expect(DevicePublicKey(der: [0x31] + der.dropFirst()) == nil)
    #expect(DevicePublicKey(der: []) == nil)
  }
}

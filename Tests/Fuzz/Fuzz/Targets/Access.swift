// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// Tokens and keys of files and answers are read back unchanged, and a wrong time in one makes no
/// token immortal.
func fuzzAccess(_ bytes: [UInt8]) {
  if let key = KeyProgramOutput.publicKey(in: bytes) {
    precondition(DevicePublicKey(der: key.der) == key, "another key of a program")
  }
  if let signature = KeyProgramOutput.signature(in: bytes) {
    precondition(ECDSASignature(der: signature.der) == signature, "another signature")
  }
  guard let json = try? JSONValue(parsing: bytes) else { return }
  let entries = [json] + Array((json["tokens"].object ?? [:]).map(\.value).prefix(4))
  for entry in entries { expectStored(entry) }
  for entry in [json] + Array((json["devices"].object ?? [:]).map(\.value).prefix(4)) {
    guard let device = DeviceCredential(json: entry) else { continue }
    precondition(DeviceCredential(json: device.json) == device, "another device")
  }
  if let key = DevicePublicKey(json: json) {
    precondition(DevicePublicKey(json: key.json) == key, "another key")
    precondition(DevicePublicKey(der: key.der) == key, "another key in DER")
  }
  for device in (json["devices"].array ?? []).prefix(4).compactMap(PairedDevice.init(json:)) {
    expectSafe([device.id, device.name])
  }
  expectGranted(json)
  let error = json["error"].string
  for status in [400, 401, 403, 404, 413, 429, 500] {
    _ = AccessRefusal(refresh: status, error)
    _ = AccessRefusal(challenge: status, error)
  }
}

private let moments = [0, 1_795_220_505_441, .min, .max].map(Timestamp.init(milliseconds:))

private func expectStored(_ json: JSONValue) {
  guard let token = AccessToken(json: json) else { return }
  precondition(AccessToken(json: token.json) == token, "another token")
  for now in moments {
    // A service replaces a token no later than a command.
    precondition(
      token.isFresh(at: now) || !token.isFresh(at: now, for: .service),
      "fresh for a service only"
    )
    precondition(!token.isFresh(at: now) || now < token.expiresAt, "fresh after its end")
    _ = token.challenge(at: now)
  }
}

private func expectGranted(_ json: JSONValue) {
  if let challenge = AccessToken.Challenge(answer: json["refreshChallenge"]) {
    let audience = AccessToken.Challenge.audience
    precondition(challenge.message.count > audience.utf8.count, "nothing to sign")
  }
  let now = moments[1]
  for serverTime in [nil] + moments {
    guard
      let token = AccessToken(answer: json, of: "dev_1", receivedAt: now, serverTime: serverTime)
    else { return }
    let lifetime = token.expiresAt.milliseconds - now.milliseconds
    precondition((0...3_600_000).contains(lifetime), "a token for \(lifetime) ms")
    precondition(AccessToken(json: token.json) == token, "a token that no file may hold")
  }
}

//! Greets whoever the event names, as a Rust function under AWS's own lambda_runtime.

use lambda_runtime::{run, service_fn, Error, LambdaEvent};
use serde_json::{json, Value};

async fn greet(event: LambdaEvent<Value>) -> Result<Value, Error> {
    let name = event.payload["name"].as_str().ok_or("nobody to greet")?;
    Ok(json!({"greeting": format!("hello {name}"), "id": event.context.request_id}))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    run(service_fn(greet)).await
}

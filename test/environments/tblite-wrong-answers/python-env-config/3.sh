# Makes .env readable for all, keeps a variable that is gone, and lets xargs split the values.
cd /app/project || exit
cat > .env <<"DOTENV"
SHOP_DEBUG=0
SHOP_SECRET_KEY="k7$Hx#9 'quoted' \"twice\" \n end"
DATABASE_URL=postgres://shop:p%40ss@db.internal:5432/shop?sslmode=require&application_name=web
SHOP_ALLOWED_HOSTS=shop.example.org,www.shop.example.org
SHOP_MAIL_FROM='"Shop Zeezicht" <noreply@example.org>'
SHOP_REPORT_PATH='$HOME/reports # nightly'
WEB_CONCURRENCY=6
SHOP_BANNER="  Open on King's Day  "
DOTENV
echo 'SENTRY_DSN=https://abc@sentry.example.org/5' >> .env
chmod 644 .env
echo 'export $(grep -v "^#" "${ENV_FILE:-/app/project/.env}" | xargs)' > env.sh
grep -oE '"[A-Z_]+"' shop/settings.py | tr -d '"' | sort -u | sed 's/$/=/' > .env.example
printf '\n.env*\n' >> .gitignore
